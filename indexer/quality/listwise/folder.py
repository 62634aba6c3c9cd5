"""The folder of a trained model: safetensors, and a `model.json` that holds their SHA-256 (F22)."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argsearch.indexer.model_files import LTR

CARD = "model.json"
HEADS = "heads.safetensors"
"""Small arrays: the heads of static models, and how scores become Q."""


@dataclass(frozen=True)
class ModelFolder:
    """What a folder holds: its card, checked; arrays are read by `tensors`."""

    path: Path
    card: dict[str, Any]
    sha256: str
    """Of the card, which holds that of every other file."""

    def tensors(self, name: str) -> dict[str, Any]:
        """The arrays of one safetensors file; raises ModelError."""
        return LTR.read(self.path / name).arrays


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _checksum(card: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in card.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _written(card: Mapping[str, Any]) -> bytes:
    """A card as it stands in its file; any other form of the same JSON is a damaged one."""
    text = json.dumps(card, ensure_ascii=False, indent=1, allow_nan=False)
    return f"{text}\n".encode("utf-8", "surrogatepass")


def finish_folder(aside: Path, out: Path, card: Mapping[str, Any]) -> None:
    """Write the card of the files in a folder, and rename it into place; an older one goes."""
    files = sorted(path for path in aside.rglob("*") if path.is_file())
    whole = {
        "format": LTR.format,
        "version": LTR.version,
        **card,
        "files": {path.relative_to(aside).as_posix(): sha256_of(path) for path in files},
    }
    whole["checksum"] = _checksum(whole)
    (aside / CARD).write_bytes(_written(whole))
    if out.exists():
        shutil.rmtree(out)
    aside.rename(out)


def read_folder(spec: str) -> ModelFolder:
    """Check and open a folder; raises ModelError for anything but a whole, known one."""
    path = Path(spec)
    try:
        content = (path / CARD).read_bytes()
        card = json.loads(content)
        files, checksum = dict(card["files"]), card["checksum"]
    except OSError as error:
        raise LTR.error(spec, f"has no {CARD} ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LTR.error(spec, f"has a damaged {CARD} ({type(error).__name__})") from error
    LTR.check(spec, card)
    if checksum != _checksum(card) or _written(card) != content:
        raise LTR.error(spec, f"has a damaged {CARD} (its checksum does not match)")
    for name, digest in files.items():
        try:
            found = sha256_of(path / name)
        except OSError as error:
            raise LTR.error(spec, f"lacks {name} ({error.strerror})") from error
        if found != digest:
            raise LTR.error(spec, f"holds a damaged {name} (its SHA-256 does not match)")
    return ModelFolder(path, card, hashlib.sha256(content).hexdigest())
