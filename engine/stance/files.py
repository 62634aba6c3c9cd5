"""Stance model files: a JSON header, plain arrays and a checksum in one .npz, without pickle."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError

FORMAT = "argsearch stance model"
VERSION = 3
LARGEST = 1 << 29
"""Bytes of a model's arrays together, at most: a packed file may be a thousandth of them."""


class StanceModelError(ArgsearchError):
    """A stance model file that cannot be used."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"stance model {str(path)!r} {what}; make one with: argsearch train stance "
            "--data FOLDER --out MODEL.npz"
        )


@dataclass(frozen=True)
class StanceFile:
    """What a model file holds; `sha256` is of the file's bytes."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    sha256: str


def _digest(header: bytes, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    digest = hashlib.sha256(header)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.digest()


def write_stance(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model file aside and rename it into place; the same content gives the same bytes."""
    described = {"format": FORMAT, "version": VERSION, **header}
    text = json.dumps(described, ensure_ascii=False, indent=1, allow_nan=False).encode()
    members = {
        "header": np.frombuffer(text, dtype=np.uint8),
        "checksum": np.frombuffer(_digest(text, arrays), dtype=np.uint8),
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **members, **arrays)
    aside = path.with_name(f".{path.name}.new")
    try:
        aside.write_bytes(buffer.getvalue())
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise ArgsearchError(
            f"cannot write the stance model {str(path)!r}: {error.strerror}; "
            "give --out a file in a folder that exists and has room"
        ) from error


def read_stance(path: Path) -> StanceFile:
    """Read and check a model file; raises StanceModelError for anything but a whole, known one."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StanceModelError(path, f"cannot be read ({error.strerror})") from error
    if not content.startswith(b"PK"):
        raise StanceModelError(path, "is not a stance model file")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST:
                raise StanceModelError(path, f"has over {LARGEST >> 20} MiB, unpacked")
            parts = {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}
        members = {n: np.load(io.BytesIO(part), allow_pickle=False) for n, part in parts.items()}
    except StanceModelError:
        raise
    except Exception as error:  # a damaged archive makes its readers raise of a dozen kinds
        raise StanceModelError(path, f"is damaged ({type(error).__name__})") from error
    if not {"header", "checksum"} <= members.keys():
        raise StanceModelError(path, "is not a stance model file (no header)")
    text, checksum = members.pop("header").tobytes(), members.pop("checksum").tobytes()
    if _digest(text, members) != checksum:
        raise StanceModelError(path, "is damaged (its checksum does not match)")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StanceModelError(path, "is damaged (its header is no JSON)") from error
    if not isinstance(header, dict):
        raise StanceModelError(path, "is damaged (its header is no table)")
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        found = f"{header.get('format')!r:.60} version {header.get('version')!r:.60}"
        raise StanceModelError(
            path, f"is {found}; this software reads {FORMAT!r} version {VERSION}"
        )
    return StanceFile(header, members, hashlib.sha256(content).hexdigest())
