"""The manifest: what an index is, every file's size and checksum, and its fingerprint."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format import described
from argsearch.indexer.format.described import BLOCK

FORMAT = 3
"""The format version that this software writes and reads."""
NAME = "manifest.json"


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
    """What a manifest says of a file: its size, SHA-256, and the CRC-32 of each BLOCK bytes.

    The latter are 8 hexadecimal digits each, one after another.
    """
    digest, sums, size = hashlib.sha256(), bytearray(), 0
    block = memoryview(bytearray(BLOCK))
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
    manifest = {"format": FORMAT, **content, "files": dict(files)}
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
    if type(found) is int and found != FORMAT:
        newer = "upgrade argsearch or " if found > FORMAT else ""
        raise IndexFormatUnsupported(
            f"index {folder} has format {found}, this software reads format {FORMAT}; "
            f"{newer}{rebuild(folder)}"
        )
    if type(found) is not int or not matches:
        raise IndexDamaged(
            f"index {folder}: {NAME} does not match its own fingerprint; {rebuild(folder)}"
        )
    try:
        described.check(manifest)
    except described.NotDescribed as error:
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
