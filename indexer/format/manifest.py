"""The manifest of an index: its description, its files' sizes and checksums, its fingerprint."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from argsearch.indexer.errors import NEW_NAMES, ArgsearchError, refusal
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.model_files import checksum

INDEX_FORMAT = 3
"""The format version that this software writes and reads."""
NAME = "manifest.json"
COUNT_KEYS = ("documents", "terms", "postings", "tokens", "conclusions", "clusters")
CHECKSUM_BLOCK = 1 << 16
"""Number of bytes of a file that are verified together on first use."""
LARGEST_COUNT = 2**63 - 1
"""The largest count, because arrays are indexed by signed 64-bit integers."""
_SHOWN = 60
"""Maximum number of characters of an invalid value that an error message quotes."""


class IndexMissing(ArgsearchError):
    """There is no index at the given path."""


class IndexDamaged(ArgsearchError):
    """A file of an index does not match the manifest."""

    @classmethod
    def at(cls, folder: Path, what: object) -> IndexDamaged:
        """Return the error for the index in `folder`, with its remedy."""
        return cls(f"index {folder}: {what}; {_rebuild(folder)}")


class IndexFormatUnsupported(ArgsearchError):
    """The index has a format that this software does not read."""


def _rebuild(path: Path) -> str:
    """Return the remedy that ends every error about an index."""
    return f"rebuild it with: argsearch index CORPUS --out {path}"


def _start_over(path: Path, content: Any) -> str:
    """Return the remedy for a manifest that cannot be used.

    argsearch replaces a folder only if the manifest still shows which files are its own.
    """
    if is_index_manifest(content):
        return _rebuild(path)
    return f"if it is an index, delete the folder, then {_rebuild(path)}"


def _damaged(folder: Path, what: str, manifest: Any) -> IndexDamaged:
    return IndexDamaged(f"index {folder}: {what}; {_start_over(folder, manifest)}")


def is_index_manifest(content: Any) -> bool:
    """Return whether a parsed `manifest.json` belongs to an index of any format version.

    Other tools (web applications, build tools, data sets) also write files of that name.
    """
    if not isinstance(content, dict) or type(content.get("format")) is not int:
        return False
    files = content.get("files")
    return (
        _is_digest(content.get("fingerprint"))
        and isinstance(files, dict)
        and all(map(_is_file_name, files))
        and all(isinstance(one, dict) and _is_digest(one.get("sha256")) for one in files.values())
    )


def fingerprint(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the manifest's content without its fingerprint, in hexadecimal.

    The CRC-32s of blocks are excluded, because the files' SHA-256s cover them. The description of
    the corpus is also excluded if the manifest has its hash, `corpus_sha256` (missing from indexes
    of version 0.1).
    """
    content = without_sums(manifest)
    content.pop("fingerprint", None)
    if content.pop("corpus_sha256", None) is not None:
        content.pop("corpus", None)
    return _digest(content)


def _digest(value: Any) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def identity(manifest: Mapping[str, Any]) -> tuple[str, str]:
    """Return the two SHA-256s that identify an index and the source of its corpus."""
    return manifest["fingerprint"], manifest.get("corpus_sha256", "")


def identity_of(folder: Path) -> tuple[str, str] | None:
    """Return the `identity` of the index in a folder; None if the folder has no readable index."""
    try:
        return identity(read(folder))
    except (ArgsearchError, OSError):
        return None


def is_of(manifest: Mapping[str, Any], folder: Path, parts: Iterable[str] = ()) -> bool:
    """Return whether a folder holds the manifest's index, with at least these parts."""
    try:
        found = read(folder)
    except (ArgsearchError, OSError):
        return False
    return base(found) == base(manifest) and set(parts) <= found.get("parts", {}).keys()


def without_sums(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest without its CRC-32s, which are useful only beside the files."""
    files = manifest.get("files")
    if not isinstance(files, dict):
        return dict(manifest)
    kept = {
        name: {k: v for k, v in entry.items() if k != "crc32"} if isinstance(entry, dict) else entry
        for name, entry in files.items()
    }
    return {**manifest, "files": kept}


def base(manifest: Mapping[str, Any]) -> str:
    """Return the fingerprint that an index would have without its optional parts."""
    parts = manifest.get("parts", {})
    theirs = {file for part in parts.values() for file in part["arrays"].values()}
    files = {name: entry for name, entry in manifest["files"].items() if name not in theirs}
    content = {key: value for key, value in manifest.items() if key != "parts"}
    return fingerprint({**content, "files": files})


def entry(path: Path) -> dict[str, Any]:
    """Return the manifest's entry for a file: size, SHA-256, and the CRC-32s of its blocks.

    The CRC-32s, one per CHECKSUM_BLOCK bytes, are concatenated, 8 hexadecimal digits each.
    """
    digest, sums, size = hashlib.sha256(), bytearray(), 0
    with path.open("rb") as stream:
        while block := stream.read(CHECKSUM_BLOCK):
            digest.update(block)
            sums += zlib.crc32(block).to_bytes(4, "big")
            size += len(block)
    return {"bytes": size, "sha256": digest.hexdigest(), "crc32": sums.hex()}


def sealed(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest with the SHA-256 of its corpus description and with its fingerprint."""
    manifest = {**manifest, "corpus_sha256": _digest(manifest.get("corpus"))}
    return {**manifest, "fingerprint": fingerprint(manifest)}


def write(
    folder: Path,
    content: Mapping[str, Any],
    files: Mapping[str, Mapping[str, Any]],
    aside: Path | None = None,
) -> None:
    """Write the manifest of a complete index, replacing an older manifest in one step.

    The file is first written to the folder `aside`, so a kill leaves no partial file in an index.
    """
    manifest = sealed({"format": INDEX_FORMAT, **content, "files": dict(files)})
    text = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    new = (aside or folder) / f"{NAME}.new"
    new.write_bytes(text + b"\n")
    new.replace(folder / NAME)


def read(folder: Path) -> dict[str, Any]:
    """Return the manifest of an index after checking its format and fingerprint.

    Raises IndexMissing, IndexDamaged or IndexFormatUnsupported.
    """
    path = folder / NAME
    if not path.is_file():
        what = "is not an index (it has no manifest.json)" if folder.exists() else "does not exist"
        raise IndexMissing(
            f"index {folder} {what}; build one with: argsearch index CORPUS --out {folder}"
        )
    manifest = None
    try:
        manifest = orjson.loads(path.read_bytes())
        if isinstance(manifest, dict) and not {"format", "fingerprint"} & manifest.keys():
            raise IndexMissing(
                f"index {folder} is not an index (another program wrote its {NAME}); "
                f"build one with: argsearch index CORPUS --out {folder / 'index'}"
            )
        found = manifest["format"]
        matches = fingerprint(manifest) == manifest["fingerprint"]
        corpus = _digest(manifest.get("corpus"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(folder, f"{NAME} is damaged ({error})", manifest) from error
    # Compare types, because a bool is an int, too.
    if type(found) is int and found != INDEX_FORMAT:
        newer = "upgrade argsearch or " if found > INDEX_FORMAT else ""
        raise IndexFormatUnsupported(
            f"index {folder} has format {found}, but this software reads format {INDEX_FORMAT}; "
            f"{newer}{_start_over(folder, manifest)}"
        )
    if type(found) is not int or not matches:
        raise _damaged(folder, f"{NAME} does not match its fingerprint", manifest)
    # Version 0.1 had other names for some parts; its indexes can still be read.
    if isinstance(parts := manifest.get("parts"), dict):
        manifest["parts"] = {NEW_NAMES.get(name, name): part for name, part in parts.items()}
    try:
        _check_content(manifest)
    except NotDescribed as error:
        raise _damaged(folder, f"{NAME}: {error}", manifest) from error
    if manifest.get("corpus_sha256", corpus) != corpus:
        raise IndexDamaged.at(folder, f"{NAME}: corpus does not match corpus_sha256")
    return dict(manifest)


def check_size(folder: Path, name: str, expected: Mapping[str, Any]) -> None:
    """Raise IndexDamaged unless the file exists and has the size that the manifest gives."""
    path = folder / name
    if not path.is_file():
        raise IndexDamaged.at(folder, f"{name} is missing")
    size, right = path.stat().st_size, expected["bytes"]
    if size != right:
        raise IndexDamaged.at(folder, f"{name} must have {right} bytes, not {size}")


def verify(folder: Path) -> dict[str, Any]:
    """Check every file's size and checksum; return the manifest or raise IndexDamaged."""
    manifest = read(folder)
    for name, expected in manifest["files"].items():
        check_size(folder, name, expected)
        found, right = checksum(folder / name), expected["sha256"]
        if found != right:
            said = f"{name} must have the SHA-256 {right[:16]}…, not {found[:16]}…"
            raise IndexDamaged.at(folder, said)
    return manifest


class NotDescribed(ValueError):
    """A manifest is invalid; the message names the key, its value and the allowed values."""


Kind = tuple[Callable[[Any], object], str]
"""A requirement for a value: a test, and a description of the allowed values."""


def _matches(pattern: str) -> Callable[[Any], bool]:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _like(default: Any) -> Kind:
    if isinstance(default, tuple):
        return (
            lambda value: isinstance(value, list | tuple) and {*map(type, value)} <= {str}
        ), "a list of texts"
    return (lambda value: type(value) is type(default)), f"of the same type as {default!r}"


def _sums(size: int) -> Kind:
    """Return the check of a file's CRC-32s, and its description. size: the file's size in bytes."""
    digits, are_hexadecimal = 8 * -(-size // CHECKSUM_BLOCK), _matches(r"[0-9a-f]*")
    said = f"8 hexadecimal digits for each {CHECKSUM_BLOCK:,} bytes"
    return (lambda sums: are_hexadecimal(sums) and len(sums) == digits), said


_TABLE: Kind = (lambda value: isinstance(value, dict), "a table")
_TEXT: Kind = (lambda value: isinstance(value, str), "a text")
_FILLED: Kind = (lambda value: isinstance(value, str) and value, "a text")
_WHOLE_NUMBER: Kind = (lambda value: type(value) is int, "a whole number")
_COUNT: Kind = (lambda value: type(value) is int and 0 <= value <= LARGEST_COUNT, "a whole number")
_is_digest = _matches(r"[0-9a-f]{64}")
_is_file_name = _matches(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
_DIGEST: Kind = (_is_digest, "64 hexadecimal digits")
_FILE_NAME: Kind = (_is_file_name, "a file's name, without folders")
_FILE = {"bytes": _COUNT, "sha256": _DIGEST}
_MODEL = {"name": _TEXT, "sha256": _DIGEST}
_PART = {"unit": _TEXT, "version": _WHOLE_NUMBER, "settings": _TABLE, "arrays": _TABLE}
_SETTINGS = {key: one.default for key, one in IndexSettings.__dataclass_fields__.items()}
_MANIFEST = {
    "counts": dict.fromkeys(COUNT_KEYS, _COUNT),
    **dict.fromkeys(("encoder", "config", "software", "analyzer"), _FILLED),
    **dict.fromkeys(("files", "settings", "parts", "corpus"), _TABLE),
}
"""Requirements for the top level of a manifest."""


def _check(value: Any, kind: Kind | Mapping[str, Any], key: str) -> None:
    """Raise NotDescribed unless the value of `key` is valid; in a table, check every key."""
    test, right = _TABLE if isinstance(kind, Mapping) else kind
    if not test(value):
        shown = None if value is None else repr(value)[:_SHOWN]
        raise NotDescribed(refusal(key, shown, right))
    for name, inner in kind.items() if isinstance(kind, Mapping) else ():
        _check(value.get(name), inner, f"{key}.{name}" if key else name)


def _check_content(manifest: Mapping[str, Any]) -> None:
    """Raise NotDescribed unless every key that this software reads has a valid value.

    Unknown keys are allowed, because a later version or a part may add keys.
    """
    _check({"parts": {}, **manifest}, _MANIFEST, "")
    files = manifest["files"]
    for name, file in files.items():
        _check(name, _FILE_NAME, "a name in files")
        _check(file, _FILE, f"files.{name}")
        if "crc32" in file:
            _check(file["crc32"], _sums(file["bytes"]), f"files.{name}.crc32")
    kinds = {key: _like(default) for key, default in _SETTINGS.items()}
    _check(_SETTINGS | manifest["settings"], kinds, "settings")
    named: Kind = (lambda file: isinstance(file, str) and file in files, "one of the files")
    for name, part in manifest.get("parts", {}).items():
        _check(part, _PART, f"parts.{name}")
        for array, file in part["arrays"].items():
            _check(file, named, f"parts.{name}.arrays.{array}")
    if (model := manifest.get("quality_model")) is not None:
        _check(model, (_TABLE[0], "a table, or null for none"), "quality_model")
        _check(model, _MODEL, "quality_model")
    _check(manifest["corpus"].get("name", ""), _TEXT, "corpus.name")
