"""Arrays in one safetensors file, with JSON beside them and a checksum over both; no pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError

Arrays = Mapping[str, NDArray[Any]]


class TensorsError(ArgsearchError):
    """A safetensors file that cannot be read."""

    def __init__(self, path: Path, what: str) -> None:
        self.what = what
        super().__init__(f"{path.name} {what}")


def _digest(arrays: Arrays, told: str) -> str:
    digest = hashlib.sha256(told.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def write_tensors(path: Path, arrays: Arrays, told: Mapping[str, Any]) -> None:
    """Write a file aside and rename it into place; the same content gives the same bytes."""
    from safetensors.numpy import save

    text = json.dumps(told, sort_keys=True, allow_nan=False)
    whole = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    # One entry of metadata: the order of several would change from run to run.
    metadata = {"argsearch": json.dumps({"told": text, "sha256": _digest(whole, text)})}
    aside = path.with_name(f".{path.name}.aside")
    aside.write_bytes(save(whole, metadata))
    aside.replace(path)


def read_tensors(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the JSON of a file; raises TensorsError for anything but a whole one."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        content = path.read_bytes()
        size = int.from_bytes(content[:8], "little")
        metadata = json.loads(content[8 : 8 + size])["__metadata__"]["argsearch"]
        head = json.loads(metadata)
        text, checksum = str(head["told"]), head["sha256"]
        arrays = load(content)
    except OSError as error:
        raise TensorsError(path, f"cannot be read ({error.strerror})") from error
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise TensorsError(path, f"is damaged ({type(error).__name__})") from error
    if _digest(arrays, text) != checksum:
        raise TensorsError(path, "is damaged (its checksum does not match)")
    told: dict[str, Any] = json.loads(text)
    return arrays, told
