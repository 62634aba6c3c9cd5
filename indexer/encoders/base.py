"""What every sentence encoder offers, and what all of them share."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError, InvalidParameter, MissingExtra
from argsearch.indexer.model_places import model_path

LONGEST_TEXT = 20_000
"""Characters of a text that are read; what follows is left out (a bound on memory)."""

MOST_TOGETHER = 1 << 22
"""Characters of the texts that are embedded together: a batch of 2,048 texts of 20,000 is split."""

FEWEST_TOKENS = 3
"""The fewest word pieces to read: a mark of the beginning, one piece, a mark of the end."""

HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
"""A model's name on the hub: `model` or `owner/model`."""

RIVALS = {"tensorflow": "sentence_transformers", "sentence_transformers": "tensorflow"}
"""Both register the same options with LLVM, and the second to be loaded aborts the process."""


class EncoderUnavailable(ArgsearchError):
    """An encoder's model cannot be loaded: missing, unreachable or of another kind."""


class Encoder:
    """Turns texts into unit vectors.

    The same text gives the same row, whatever stands beside it in the call as far as the
    encoder's arithmetic allows (exactly for `wordllama` and `onnx`, within 1e-5 for the others).
    """

    scheme: ClassVar[str]
    """What a spec begins with: `scheme` or `scheme:MODEL`."""
    models: ClassVar[str] = ""
    """What MODEL can be, in words; empty where there is only one model."""
    default: ClassVar[str | None] = ""
    """The model that `scheme` alone stands for; None where one has to be named."""
    light: ClassVar[bool] = False
    """Whether it works without a neural library, whose threads do not survive a fork."""
    exact: ClassVar[bool] = False
    """Whether a row is the same to the last bit whatever else is in the call."""
    batch: ClassVar[int] = 64
    """Texts embedded together; they are of like length."""
    dimensions: int
    """Length of a row."""

    def __init__(self, model: str = "") -> None:
        """Load a model; raises MissingExtra, or EncoderUnavailable when that cannot be done."""
        self.name = f"{self.scheme}:{model}" if model else self.scheme
        """The spec in its canonical form, as an index's manifest keeps it."""

    @classmethod
    def find(cls, model: str) -> str:
        """Return where a model is; raises, without loading anything, where that can be told."""
        return model

    def rows(self, texts: list[str], tokens: int | None = None) -> NDArray[np.float32]:
        """Embeddings of up to `batch` texts, none blank, of any length: float32[n, dimensions].

        tokens: as `encode` has it.
        """
        raise NotImplementedError

    def encode(self, texts: Sequence[str], tokens: int | None = None) -> NDArray[np.float32]:
        """Embeddings, float32[len(texts), dimensions]: unit rows (L2), zeros for blank texts.

        tokens: word pieces of a text that are read, at most, from 3 on, the model's own marks of
        its beginning and end among them; None: the model's own limit, which holds anyway.
        Raises InvalidParameter where `tokens` is below 3, or the model only takes whole texts.
        """
        if tokens is not None and tokens < FEWEST_TOKENS:
            raise InvalidParameter("tokens", tokens, f"whole numbers from {FEWEST_TOKENS}")
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for rows, some in batches(texts, self.batch):
            out[rows] = unit_rows(self.rows(some, tokens))
        return out


class NoEncoder(Encoder):
    """Embeds nothing: rows of length 0, so that there are no clusters (C = 0 everywhere, H21)."""

    scheme = "none"
    light = True
    dimensions = 0

    def rows(self, texts: list[str], tokens: int | None = None) -> NDArray[np.float32]:  # noqa: ARG002
        """Zeros of shape float32[len(texts), 0]."""
        return np.zeros((len(texts), 0), np.float32)


def clean(text: str) -> str:
    """The text an encoder reads: its first LONGEST_TEXT characters, lone surrogates as U+FFFD."""
    text = text[:LONGEST_TEXT]
    if text.isascii():
        return text
    # UTF-16 joins the halves of a pair that came apart, and what stays alone is replaced.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def batches(texts: Sequence[str], size: int) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """The texts that are not blank, cleaned, with their positions, some at a time.

    These are `size` texts or fewer, of MOST_TOGETHER characters at most. Texts of like length
    share a batch (padding then costs little); ties keep the given order.
    """
    cleaned = [clean(text) for text in texts]
    lengths = np.array([len(text) if text.strip() else 0 for text in cleaned], np.int64)
    order = np.argsort(lengths, kind="stable")
    order = order[int(np.count_nonzero(lengths == 0)) :]
    ends, start, read = np.cumsum(lengths[order]), 0, 0
    while start < len(order):
        full = int(np.searchsorted(ends, read + MOST_TOGETHER, "right"))
        rows = order[start : min(start + size, full)]
        start += len(rows)
        read = ends[start - 1]
        yield rows, [cleaned[row] for row in rows]


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows divided by their L2 norm, float32[n, d]; zero and non-finite rows become zero."""
    norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    usable = (norms > 0) & np.isfinite(norms)
    units: NDArray[np.float32] = np.divide(rows, norms, out=np.zeros_like(rows), where=usable)
    return units


def require(library: str, part: str, extra: str) -> None:
    """Make sure that `library` can be imported here; to be called before it is.

    Raises MissingExtra when it is not installed, and EncoderUnavailable when its rival is already
    loaded in this process.
    """
    if sys.modules.get(library) is None and find_spec(library) is None:
        raise MissingExtra(part, extra)
    rival = RIVALS.get(library)
    if rival is not None and sys.modules.get(rival) is not None:
        raise EncoderUnavailable(
            f"{library} cannot be loaded beside {rival}, which this process has already loaded "
            f"(the two abort each other); use the encoders `use` and `sbert` in separate processes"
        )


def located(encoder: str, model: str, named_elsewhere: bool) -> str:
    """Where a model is: its folder, here or in ARGSEARCH_MODELS, or its name on a hub as given.

    named_elsewhere: whether `model` may be such a name. Raises EncoderUnavailable when it may not
    and there is no such folder.
    """
    folder = model_path(model)
    if folder.is_dir():
        return str(folder)
    if named_elsewhere:
        return model
    raise EncoderUnavailable(
        f"encoder {encoder} names a folder that does not exist: {model!r}; "
        "give the folder of a model, or its name on the hub"
    )


@contextmanager
def loading(encoder: str, remedy: str) -> Iterator[None]:
    """Turn whatever a library raises while it opens a model into one line.

    Libraries raise OSError, ValueError, their own classes and, for damaged files, nearly anything.
    """
    try:
        yield
    except EncoderUnavailable:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
        raise EncoderUnavailable(
            f"encoder {encoder} cannot be loaded: {reason}; {remedy}"
        ) from error
