"""Model files: arrays in safetensors with a JSON header and a checksum of both, without pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError, InvalidParameter, short
from argsearch.indexer.foreign import foreign_entries, listed, remove_files
from argsearch.indexer.output import writing

Arrays = Mapping[str, NDArray[Any]]

_KEY = "argsearch"
"""Key of the only metadata entry. The order of several entries would change from run to run."""


CARD = "model.json"
"""File in a model's folder that describes the model and lists the SHA-256 of its files."""


class ModelError(ArgsearchError):
    """A model file or folder cannot be used."""


@dataclass(frozen=True)
class ModelFile:
    """Contents of a model file; `sha256` is the SHA-256 of the file's bytes."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    sha256: str


@dataclass(frozen=True)
class ModelFolder:
    """A model folder with its verified card."""

    path: Path
    card: dict[str, Any]
    sha256: str
    """SHA-256 of the card."""


@dataclass(frozen=True)
class ModelForm:
    """A kind of model: its name, its version, and the remedy for an unusable file."""

    noun: str
    version: int
    remedy: str

    @property
    def format(self) -> str:
        """Name of the format in a header."""
        return f"argsearch {self.noun}"

    def error(self, spec: str | Path, what: str) -> ModelError:
        """Return a one-line error that names the model and the remedy."""
        return ModelError(f"{self.noun} {str(spec)!r} {what}; {self.remedy}")

    def check(self, spec: str | Path, found: Mapping[str, Any]) -> None:
        """Raise ModelError if a header has another kind or version."""
        name, version = found.get("format"), found.get("version")
        if (name, version) != (self.format, self.version):
            shown = f"{short(repr(name))} version {short(repr(version))}"
            reads = f"this software reads {self.format!r} version {self.version}"
            raise self.error(spec, f"is {shown}, but {reads}")

    @contextmanager
    def unpacking(self, spec: str | Path) -> Iterator[None]:
        """Raise ModelError if the enclosed code finds that an array is missing or misshapen."""
        try:
            yield
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            what = f"is damaged (an array is missing or not valid: {error!s:.200})"
            raise self.error(spec, what) from error

    def write(self, path: Path, header: Mapping[str, Any], arrays: Arrays) -> str:
        """Write a file atomically (see `argsearch.indexer.output.writing`) and return its SHA-256.

        `header` is JSON data; format and version are added. The same content gives the same bytes.
        """
        from safetensors.numpy import save

        described = {"format": self.format, "version": self.version, **header}
        text = json.dumps(described, allow_nan=False)
        whole = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
        sealed = json.dumps({"header": text, "sha256": digest(text, whole)})
        content = save(whole, {_KEY: sealed})
        try:
            with writing(path) as stream:
                stream.write(content)
        except OSError as error:
            raise ArgsearchError(
                f"cannot write the {self.noun} {str(path)!r}: {error.strerror}; "
                "give --out a file in a folder that exists and has room"
            ) from error
        return hashlib.sha256(content).hexdigest()

    def read(self, path: Path) -> ModelFile:
        """Read and check a file; raise ModelError unless it is intact and of this kind."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            content = path.read_bytes()
        except OSError as error:
            raise self.error(path, f"cannot be read ({error.strerror})") from error
        # The file is never unpacked: a few kilobytes may expand to gigabytes.
        if content.startswith(b"PK"):
            raise self.error(path, "is an .npz file, written by an earlier version")
        try:
            text, checksum = _sealed(content)
            arrays = load(content)
            header = json.loads(text)
        except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise self.error(path, f"is damaged ({type(error).__name__})") from error
        if digest(text, arrays) != checksum:
            raise self.error(path, "is damaged (its checksum does not match)")
        if not isinstance(header, dict):
            raise self.error(path, "is damaged (its header is not a table)")
        self.check(path, header)
        return ModelFile(header, arrays, hashlib.sha256(content).hexdigest())

    def finish_folder(self, aside: Path, out: Path, card: Mapping[str, Any]) -> str:
        """Write a card for the files in `aside`, and move that folder to `out`, replacing a model.

        Returns the card's SHA-256. Raises InvalidParameter as `check_model_folder` does.
        """
        files = sorted(path for path in aside.rglob("*") if path.is_file())
        whole = {
            "format": self.format,
            "version": self.version,
            **card,
            "files": {path.relative_to(aside).as_posix(): checksum(path) for path in files},
        }
        whole["checksum"] = _checksum(whole)
        (aside / CARD).write_bytes(_written(whole))
        out = out.resolve()  # a link keeps pointing where it points
        check_model_folder(out)
        # Remove the card last, because it lists the files that belong to the model.
        remove_files(out, model_files(out), last=CARD)
        aside.rename(out)
        return checksum(out / CARD)

    def read_folder(self, spec: str) -> ModelFolder:
        """Check and open a folder; raise ModelError unless it is intact and of this kind."""
        path = Path(spec)
        try:
            content = (path / CARD).read_bytes()
            card = json.loads(content)
            files, stated = dict(card["files"]), card["checksum"]
        except OSError as error:
            raise self.error(spec, f"has no {CARD} ({error.strerror})") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self.error(spec, f"has a damaged {CARD} ({type(error).__name__})") from error
        self.check(spec, card)
        if stated != _checksum(card) or _written(card) != content:
            raise self.error(spec, f"has a damaged {CARD} (its checksum does not match)")
        for name, expected in files.items():
            try:
                found = checksum(path / name)
            except OSError as error:
                raise self.error(spec, f"has no {name} ({error.strerror})") from error
            if found != expected:
                raise self.error(spec, f"has a damaged {name} (its SHA-256 does not match)")
        return ModelFolder(path, card, hashlib.sha256(content).hexdigest())


def model_files(folder: Path) -> frozenset[str]:
    """Return the model files in a folder, as relative paths; empty if argsearch did not write it.

    Other programs, such as Keras and XGBoost, also write a `model.json`.
    """
    # Reading a named pipe would block forever.
    if not (folder / CARD).is_file():
        return frozenset()
    try:
        card = json.loads((folder / CARD).read_bytes())
        files = {str(name) for name in dict(card["files"])}
        ours = str(card["format"]).startswith("argsearch ") and isinstance(card["checksum"], str)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return frozenset()
    outside = any(name.startswith("/") or ".." in name.split("/") for name in files)
    return frozenset([CARD, *files]) if ours and not outside else frozenset()


def check_model_folder(out: Path) -> None:
    """Raise InvalidParameter unless a model's folder can be written at a path.

    The path must not exist, or must be an empty folder or a model's folder without other files.
    """
    out = out.resolve()
    allowed = "a new or empty folder, or a model's folder, in an existing parent folder"
    if not out.parent.is_dir() or (out.exists() and not out.is_dir()):
        raise InvalidParameter("--out", str(out), allowed)
    if out.is_dir() and (foreign := foreign_entries(out, model_files(out))):
        allowed += f"; this one has {listed(foreign)}, which argsearch did not write"
        raise InvalidParameter("--out", str(out), allowed)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _checksum(card: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in card.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _written(card: Mapping[str, Any]) -> bytes:
    """Return the bytes of a card's file; any other form of the same JSON counts as damaged."""
    text = json.dumps(card, ensure_ascii=False, indent=1, allow_nan=False)
    return f"{text}\n".encode("utf-8", "surrogatepass")


def digest(text: str, arrays: Arrays) -> str:
    """Return the checksum of a header and its arrays."""
    found = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode("utf-8", "surrogatepass"))
        found.update(array.tobytes())
    return found.hexdigest()


def _sealed(content: bytes) -> tuple[str, str]:
    """Return a file's header text and checksum; raise ValueError, KeyError or TypeError."""
    size = int.from_bytes(content[:8], "little")
    found = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][_KEY])
    return str(found["header"]), found["sha256"]


def shipped(name: str) -> Path:
    """Return the path of a model that ships with the package."""
    return Path(__file__).resolve().parent / "models" / f"{name}.safetensors"


QUALITY = ModelForm(
    "quality model",
    2,
    "make one with: argsearch train quality --judgements FILE --out MODEL.safetensors "
    "(for H21's model add --kind h21 --corpus CORPUS), or use quality_model = default",
)
PAIRWISE = ModelForm(
    "pairwise model",
    2,
    "make one with: argsearch train pairwise --judgements FILE --out MODEL.safetensors, "
    "or use pairwise_model = default",
)
STANCE_MODEL = ModelForm(
    "stance model",
    4,
    "make one with: argsearch train stance --data FOLDER --out MODEL.safetensors",
)
POINT_MODEL = ModelForm(
    "model of points",
    1,
    "make one with: argsearch train points --data FOLDER --out MODEL.safetensors",
)
LTR = ModelForm(
    "ltr model",
    2,
    "make one with: argsearch train ltr CONFIG --out FOLDER, or use quality_model = default",
)


def numbers(arrays: Arrays, name: str, *shape: int, kind: str = "f") -> NDArray[Any]:
    """Return a model's array after checking its type (`f` float64, `i` int64) and shape (-1: any).

    Kernels trust it. Raises KeyError for a missing array, and ValueError for an unsuitable one.
    """
    array = arrays[name]
    fits = len(shape) == array.ndim and all(
        wanted in (-1, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    if kind == "f" and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} must contain only finite numbers")
    if array.dtype != np.dtype(f"{kind}8") or not fits:
        wanted = np.dtype(f"{kind}8").name
        raise ValueError(f"{name} must be {wanted}{shape}, not {array.dtype}{array.shape}")
    return np.ascontiguousarray(array)


def standards(arrays: Arrays, features: int) -> NDArray[np.float64]:
    """Return each feature's low, high, mean and scale, float64[4, features]; see `numbers`."""
    found = numbers(arrays, "standard", 4, features)
    if not (found[3] > 0).all():
        raise ValueError("the scales in standard must be above 0")
    return found


def packed_terms(terms: Iterable[str]) -> NDArray[np.uint8]:
    """Return terms as an array for a model file, in UTF-8 with one term per line."""
    return np.frombuffer("\n".join(terms).encode(), np.uint8)


def unpacked_terms(arrays: Arrays) -> tuple[str, ...]:
    """Return the terms in the array `terms`; raise KeyError or ValueError if there are none."""
    return tuple(arrays["terms"].tobytes().decode().split("\n"))
