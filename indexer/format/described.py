"""What a manifest must hold, checked when it is read: a hand that edits it is told what is wrong.

Keys that are not known here are let through: a later version, or an optional part, may add some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from argsearch.indexer.format.settings import IndexSettings

COUNTS = ("documents", "terms", "postings", "tokens", "conclusions", "clusters")
BLOCK = 1 << 16
"""Bytes of a file that are checked together where they are first read."""
MOST = 2**63 - 1
"""The largest count; arrays are numbered by signed 64-bit integers."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SHOWN = 60
"""Characters of a wrong value that are repeated."""


class NotDescribed(ValueError):
    """A manifest does not say what it must; the message names the key, the value, what is right."""


def is_name(value: object) -> bool:
    """Whether it names a file beside the manifest: no folder, nothing hidden, nothing odd."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def check(manifest: Mapping[str, Any]) -> None:
    """Raise NotDescribed unless every key that is read has a value of its kind."""
    counts = _mapping(manifest, "counts")
    for name in COUNTS:
        _require(_is_count(counts.get(name)), f"counts.{name}", counts.get(name), "a whole number")
    for key in ("encoder", "config", "software", "analyzer"):
        value = manifest.get(key)
        _require(isinstance(value, str) and value != "", key, value, "a text")
    for name, file in _mapping(manifest, "files").items():
        _check_file(name, file)
    _check_settings(_mapping(manifest, "settings"))
    if "parts" in manifest:
        for name, part in _mapping(manifest, "parts").items():
            _check_part(name, part, manifest["files"])
    _check_model(manifest.get("quality_model"))
    name = _mapping(manifest, "corpus").get("name", "")
    _require(isinstance(name, str), "corpus.name", name, "a text")


def check_sizes(counts: Mapping[str, Any], found: Mapping[str, int]) -> None:
    """Raise NotDescribed unless the counts are those of the arrays."""
    for name, number in found.items():
        right = f"{number}, as the arrays have"
        _require(counts[name] == number, f"counts.{name}", counts[name], right)


def _require(sound: bool, key: str, value: object, right: str) -> None:
    if not sound:
        shown = "missing" if value is None else repr(value)
        raise NotDescribed(f"{key} is {shown[:_SHOWN]}; it must be {right}")


def _mapping(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = values.get(key)
    _require(isinstance(value, dict), key, value, "a table")
    return values[key]  # type: ignore[no-any-return]


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MOST


def _matches(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


_is_digest = _matches(_DIGEST)
_are_sums = _matches(re.compile(r"[0-9a-f]*"))


def _check_file(name: str, file: object) -> None:
    _require(is_name(name), "a name in files", name, "a file's name, without folders")
    _require(isinstance(file, dict), f"files.{name}", file, "a table")
    assert isinstance(file, dict)
    size, digest, sums = file.get("bytes"), file.get("sha256"), file.get("crc32")
    _require(_is_count(size), f"files.{name}.bytes", size, "a whole number")
    _require(_is_digest(digest), f"files.{name}.sha256", digest, "64 hexadecimal digits")
    digits = 8 * -(-file["bytes"] // BLOCK)
    fits = "crc32" not in file or (_are_sums(sums) and len(file["crc32"]) == digits)
    _require(fits, f"files.{name}.crc32", sums, f"8 hexadecimal digits for each {BLOCK:,} bytes")


def _check_part(name: str, part: object, files: Mapping[str, Any]) -> None:
    _require(isinstance(part, dict), f"parts.{name}", part, "a table")
    assert isinstance(part, dict)
    for key, kind in (("unit", str), ("version", int), ("settings", dict), ("arrays", dict)):
        value = part.get(key)
        _require(type(value) is kind, f"parts.{name}.{key}", value, _KINDS[kind])
    for array, file in part["arrays"].items():
        named = isinstance(file, str) and file in files
        _require(named, f"parts.{name}.arrays.{array}", file, "one of the files")


_KINDS = {str: "a text", int: "a whole number", dict: "a table"}


def _check_settings(settings: Mapping[str, Any]) -> None:
    for key, field in IndexSettings.__dataclass_fields__.items():
        value = settings.get(key, field.default)
        kind = type(field.default)
        if kind is tuple:
            listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
            _require(listed, f"settings.{key}", value, "a list of texts")
            continue
        _require(type(value) is kind, f"settings.{key}", value, f"as {field.default!r} is")


def _check_model(model: object) -> None:
    if model is None:
        return
    _require(isinstance(model, dict), "quality_model", model, "a table, or null for none")
    assert isinstance(model, dict)
    name, digest = model.get("name"), model.get("sha256")
    _require(isinstance(name, str), "quality_model.name", name, "a text")
    _require(_is_digest(digest), "quality_model.sha256", digest, "64 hexadecimal digits")
