"""The manifest: what an index is, every file's size and checksum, and its fingerprint."""

from __future__ import annotations

import hashlib
import io
import re
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from argsearch.indexer.errors import RENAMED, ArgsearchError
from argsearch.indexer.format.settings import IndexSettings

INDEX_FORMAT = 3
"""The format version that this software writes and reads."""
NAME = "manifest.json"
COUNTS = ("documents", "terms", "postings", "tokens", "conclusions", "clusters")
CHECKSUM_BLOCK = 1 << 16
"""Bytes of a file that are checked together where they are first read."""
LARGEST_COUNT = 2**63 - 1
"""The largest count; arrays are numbered by signed 64-bit integers."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SHOWN = 60
"""Characters of a wrong value that are repeated."""


class IndexMissing(ArgsearchError):
    """There is no index where one was named."""


class IndexDamaged(ArgsearchError):
    """A file of an index is not what its manifest says."""


class IndexFormatUnsupported(ArgsearchError):
    """An index of a format that this software does not read."""


def rebuild(path: Path) -> str:
    """The remedy that every error of an index ends with."""
    return f"rebuild it with: argsearch index CORPUS --out {path}"


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fingerprint(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of the manifest's content (without its own fingerprint), in hexadecimal.

    The CRC-32s of blocks are left out: the files' SHA-256s stand for what they are of.
    """
    content = without_sums(manifest)
    content.pop("fingerprint", None)
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def without_sums(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest without the CRC-32s of blocks, which only files beside it need."""
    files = manifest.get("files")
    if not isinstance(files, dict):
        return dict(manifest)
    kept = {
        name: {k: v for k, v in entry.items() if k != "crc32"} if isinstance(entry, dict) else entry
        for name, entry in files.items()
    }
    return {**manifest, "files": kept}


def base(manifest: Mapping[str, Any]) -> str:
    """The fingerprint that an index has without its optional parts."""
    parts = manifest.get("parts", {})
    theirs = {file for part in parts.values() for file in part["arrays"].values()}
    files = {name: entry for name, entry in manifest["files"].items() if name not in theirs}
    content = {key: value for key, value in manifest.items() if key != "parts"}
    return fingerprint({**content, "files": files})


def entry(path: Path) -> dict[str, Any]:
    """What a manifest says of a file: its size, SHA-256, and the CRC-32s of its blocks.

    The latter, one for each CHECKSUM_BLOCK bytes, are 8 hexadecimal digits each, one after another.
    """
    digest, sums, size = hashlib.sha256(), bytearray(), 0
    block = memoryview(bytearray(CHECKSUM_BLOCK))
    with path.open("rb", buffering=0) as stream:
        while read := _fill(stream, block):
            digest.update(block[:read])
            sums += zlib.crc32(block[:read]).to_bytes(4, "big")
            size += read
    return {"bytes": size, "sha256": digest.hexdigest(), "crc32": sums.hex()}


def _fill(stream: io.RawIOBase | io.FileIO, block: memoryview) -> int:
    """Read until the block is full or the file ends; returns the bytes read."""
    filled = 0
    while filled < len(block) and (read := stream.readinto(block[filled:])):
        filled += read
    return filled


def write(folder: Path, content: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the manifest of a finished folder; it replaces an older one in one step."""
    manifest = {"format": INDEX_FORMAT, **content, "files": dict(files)}
    manifest["fingerprint"] = fingerprint(manifest)
    text = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    aside = folder / f"{NAME}.new"
    aside.write_bytes(text + b"\n")
    aside.replace(folder / NAME)


def read(folder: Path) -> dict[str, Any]:
    """The manifest of an index, its format and fingerprint checked.

    Raises IndexMissing, IndexDamaged or IndexFormatUnsupported.
    """
    path = folder / NAME
    if not path.is_file():
        what = "is not an index (it has no manifest.json)" if folder.exists() else "does not exist"
        raise IndexMissing(
            f"index {folder} {what}; build one with: argsearch index CORPUS --out {folder}"
        )
    try:
        manifest = orjson.loads(path.read_bytes())
        found = manifest["format"]
        matches = fingerprint(manifest) == manifest["fingerprint"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise IndexDamaged(
            f"index {folder}: {NAME} is damaged ({error}); {rebuild(folder)}"
        ) from error
    if type(found) is int and found != INDEX_FORMAT:
        newer = "upgrade argsearch or " if found > INDEX_FORMAT else ""
        raise IndexFormatUnsupported(
            f"index {folder} has format {found}, this software reads format {INDEX_FORMAT}; "
            f"{newer}{rebuild(folder)}"
        )
    if type(found) is not int or not matches:
        raise IndexDamaged(
            f"index {folder}: {NAME} does not match its own fingerprint; {rebuild(folder)}"
        )
    if isinstance(parts := manifest.get("parts"), dict):  # made by 0.1, by the name of then
        manifest["parts"] = {RENAMED.get(name, name): part for name, part in parts.items()}
    try:
        check_content(manifest)
    except NotDescribed as error:
        raise IndexDamaged(f"index {folder}: {NAME}: {error}; {rebuild(folder)}") from error
    return dict(manifest)


def check_size(folder: Path, name: str, expected: Mapping[str, Any]) -> None:
    """Raise IndexDamaged unless the file is there with its size."""
    path = folder / name
    if not path.is_file():
        raise IndexDamaged(f"index {folder}: {name} is missing; {rebuild(folder)}")
    size = path.stat().st_size
    if size != expected["bytes"]:
        raise IndexDamaged(
            f"index {folder}: {name} has {size} bytes, its manifest says {expected['bytes']}; "
            f"{rebuild(folder)}"
        )


def check_file(folder: Path, name: str, expected: Mapping[str, Any]) -> None:
    """Raise IndexDamaged unless the file is there with its size and checksum."""
    check_size(folder, name, expected)
    found = checksum(folder / name)
    if found != expected["sha256"]:
        raise IndexDamaged(
            f"index {folder}: {name} has SHA-256 {found[:16]}…, its manifest says "
            f"{expected['sha256'][:16]}…; {rebuild(folder)}"
        )


def verify(folder: Path) -> dict[str, Any]:
    """Check every file's size and checksum; returns the manifest or raises IndexDamaged."""
    manifest = read(folder)
    for name, expected in manifest["files"].items():
        check_file(folder, name, expected)
    return manifest


class NotDescribed(ValueError):
    """A manifest does not say what it must; the message names the key, the value, what is right."""


def is_name(value: object) -> bool:
    """Whether it names a file beside the manifest: no folder, nothing hidden, nothing odd."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def check_content(manifest: Mapping[str, Any]) -> None:
    """Raise NotDescribed unless every key that is read has a value of its kind.

    Keys that are not known here are let through: a later version or a part may add some.
    """
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
    return type(value) is int and 0 <= value <= LARGEST_COUNT


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
    digits = 8 * -(-file["bytes"] // CHECKSUM_BLOCK)
    fits = "crc32" not in file or (_are_sums(sums) and len(file["crc32"]) == digits)
    _require(
        fits, f"files.{name}.crc32", sums, f"8 hexadecimal digits for each {CHECKSUM_BLOCK:,} bytes"
    )


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
