"""Quality model files: a JSON header, plain arrays and a checksum in one .npz, without pickle."""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError

FORMAT = "argsearch quality model"
VERSION = 1
LARGEST = 1 << 29
"""Bytes of a model's arrays together, at most: a packed file may be a thousandth of them."""
MAKER = "argsearch train quality --judgements FILE --out MODEL.npz"

Arrays = Mapping[str, NDArray[Any]]


class QualityModelError(ArgsearchError):
    """A quality model file that cannot be used."""

    def __init__(self, spec: str | Path, what: str, maker: str = MAKER) -> None:
        self.what = what
        super().__init__(
            f"quality model {str(spec)!r} {what}; make one with: {maker}, "
            "or use quality_model = default"
        )


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds; `sha256` is of the file's bytes."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    sha256: str


def _digest(header: bytes, arrays: Arrays) -> bytes:
    digest = hashlib.sha256(header)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.digest()


def write_model(path: Path, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a model file aside and rename it into place; the same content gives the same bytes.

    `header` is JSON data with the key `kind`; format and version are added here.
    """
    described = {"format": FORMAT, "version": VERSION, **header}
    text = json.dumps(described, ensure_ascii=False, indent=1, allow_nan=False).encode()
    checksum = np.frombuffer(_digest(text, arrays), dtype=np.uint8)
    buffer = io.BytesIO()
    members = {"header": np.frombuffer(text, dtype=np.uint8), "checksum": checksum}
    np.savez_compressed(buffer, allow_pickle=False, **members, **arrays)
    try:
        _replace(path, buffer.getvalue())
    except OSError as error:
        raise ArgsearchError(
            f"cannot write the quality model {str(path)!r}: {error.strerror}; "
            "give --out a file in a folder that exists and has room"
        ) from error


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        aside.chmod(0o644)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


_DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    TypeError,
    TokenError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""What a damaged archive makes its readers raise."""


def _members(content: bytes, path: Path) -> dict[str, NDArray[Any]]:
    if not content.startswith(b"PK"):
        raise QualityModelError(path, "is not a quality model file")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST:
                raise QualityModelError(path, f"has over {LARGEST >> 20} MiB, unpacked")
            parts = {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}
        members = {
            name: np.load(io.BytesIO(part), allow_pickle=False) for name, part in parts.items()
        }
    except _DAMAGE as error:
        raise QualityModelError(path, f"is damaged ({type(error).__name__})") from error
    if not {"header", "checksum"} <= members.keys():
        raise QualityModelError(path, "is not a quality model file (no header)")
    return members


def read_model(path: Path) -> ModelFile:
    """Read and check a model file; raises QualityModelError for anything but a whole, known one."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise QualityModelError(path, f"cannot be read ({error.strerror})") from error
    members = _members(content, path)
    text, checksum = members.pop("header").tobytes(), members.pop("checksum").tobytes()
    if _digest(text, members) != checksum:
        raise QualityModelError(path, "is damaged (its checksum does not match)")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise QualityModelError(path, "is damaged (its header is no JSON)") from error
    if not isinstance(header, dict):
        raise QualityModelError(path, "is damaged (its header is no table)")
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        found = f"{header.get('format')!r:.60} version {header.get('version')!r:.60}"
        raise QualityModelError(
            path, f"is {found}; this software reads {FORMAT!r} version {VERSION}"
        )
    return ModelFile(header, members, hashlib.sha256(content).hexdigest())


def numbers(arrays: Arrays, name: str, *shape: int, kind: str = "f") -> NDArray[Any]:
    """An array of a model: float64 (or int64, kind `i`) of a shape, -1 for any size.

    Kernels read it without looking. Raises KeyError where it is missing, ValueError for another.
    """
    array = arrays[name]
    fits = len(shape) == array.ndim and all(
        wanted in (-1, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    if kind == "f" and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} holds a number that is not finite")
    if array.dtype != np.dtype(f"{kind}8") or not fits:
        wanted = np.dtype(f"{kind}8").name
        raise ValueError(f"{name} is {array.dtype}{array.shape}; allowed: {wanted}{shape}")
    return np.ascontiguousarray(array)


def standards(arrays: Arrays, features: int) -> NDArray[np.float64]:
    """low, high, mean and scale of each feature, float64[4, features]; raises as `numbers` does."""
    found = numbers(arrays, "standard", 4, features)
    if not (found[3] > 0).all():
        raise ValueError("standard has a scale that is not above 0")
    return found
