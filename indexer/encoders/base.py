"""Base class of the sentence encoders, and their shared helpers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError, InvalidParameter, MissingExtra
from argsearch.indexer.model_places import model_path

LONGEST_TEXT = 20_000
"""Maximum number of characters to read from a text. The rest is ignored, to limit memory."""

MOST_TOGETHER = 1 << 22
"""Maximum number of characters to embed together; 2,048 texts of 20,000 characters are split."""

FEWEST_TOKENS = 3
"""Smallest token limit: a start mark, one word piece and an end mark."""

HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
"""A model's name on the hub: `model` or `owner/model`."""

QUESTIONS = 8
"""Number of questions whose embeddings are cached."""

RIVALS = {"tensorflow": "sentence_transformers", "sentence_transformers": "tensorflow"}
"""Both libraries register the same options with LLVM, so loading the second aborts the process."""


class EncoderUnavailable(ArgsearchError):
    """An encoder's model cannot be loaded: it is missing, unreachable or of another kind."""


class Encoder:
    """Turns texts into unit vectors.

    The same text gives the same row, whatever other texts are in the call. The rows are exactly
    equal for `wordllama` and `onnx`, and equal to within 1e-5 for other encoders.
    """

    scheme: ClassVar[str]
    """First part of a spec, which is `scheme` or `scheme:MODEL`."""
    models: ClassVar[str] = ""
    """Description of the allowed MODEL; empty if there is only one model."""
    default: ClassVar[str | None] = ""
    """Model meant by `scheme` alone; None if the spec has to name a model."""
    light: ClassVar[bool] = False
    """True if the encoder uses no neural library (whose threads would not survive a fork)."""
    exact: ClassVar[bool] = False
    """True if a row has the same bits whatever other texts are in the call."""
    batch: ClassVar[int] = 64
    """Number of texts of similar length that are embedded together."""
    dimensions: int
    """Length of a row."""

    def __init__(self, model: str = "") -> None:
        """Load a model; raise MissingExtra, or EncoderUnavailable if loading fails."""
        self.name = f"{self.scheme}:{model}" if model else self.scheme
        """The spec in the canonical form that an index's manifest records."""

    @classmethod
    def find(cls, model: str) -> str:
        """Return a model's location; raise the errors that can be detected without loading it."""
        return model

    def rows(self, texts: list[str], tokens: int | None = None) -> NDArray[np.float32]:
        """Return embeddings of up to `batch` nonblank texts, of any norm: float32[n, dimensions].

        tokens: as in `encode`.
        """
        raise NotImplementedError

    def encode(self, texts: Sequence[str], tokens: int | None = None) -> NDArray[np.float32]:
        """Return unit rows (L2), float32[len(texts), dimensions]; zeros for blank texts.

        tokens: maximum number of word pieces to read from each text, at least 3, including start
        and end marks. The model's own limit always applies; None: no other limit. Raises
        InvalidParameter if `tokens` is below 3 or the model only takes whole texts.
        """
        if tokens is not None and tokens < FEWEST_TOKENS:
            raise InvalidParameter("tokens", tokens, f"a whole number of at least {FEWEST_TOKENS}")
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for rows, some in batches(texts, self.batch):
            out[rows] = unit_rows(self.rows(some, tokens))
        return out


@lru_cache(QUESTIONS)
def question_row(encoder: Encoder, question: str) -> NDArray[np.float32]:
    """Return a question's unit row, float32[dimensions], which an answer needs several times."""
    row: NDArray[np.float32] = encoder.encode([question])[0]
    row.flags.writeable = False
    return row


class NoEncoder(Encoder):
    """Gives rows of length 0, so that there are no clusters (C = 0 everywhere, H21)."""

    scheme = "none"
    light = True
    dimensions = 0

    def rows(self, texts: list[str], tokens: int | None = None) -> NDArray[np.float32]:  # noqa: ARG002
        """Return zeros of shape float32[len(texts), 0]."""
        return np.zeros((len(texts), 0), np.float32)


def clean(text: str) -> str:
    """Return the first LONGEST_TEXT characters of a text; lone surrogates become U+FFFD."""
    text = text[:LONGEST_TEXT]
    if text.isascii():
        return text
    # UTF-16 joins separated halves of a pair; the remaining lone surrogates are replaced.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def batches(texts: Sequence[str], size: int) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """Yield the nonblank texts in batches, cleaned, with their positions.

    A batch has at most `size` texts and MOST_TOGETHER characters. Texts of similar length share a
    batch, so that padding costs little. Texts of equal length keep the given order.
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
    """Return rows divided by their L2 norm, float32[n, d]; zero and non-finite rows become zero."""
    norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    usable = (norms > 0) & np.isfinite(norms)
    units: NDArray[np.float32] = np.divide(rows, norms, out=np.zeros_like(rows), where=usable)
    return units


def require(library: str, part: str, extra: str) -> None:
    """Raise an error if `library` cannot be imported here; call this before importing it.

    Raises MissingExtra if the library is not installed, and EncoderUnavailable if a conflicting
    library is already loaded in this process.
    """
    if sys.modules.get(library) is None and find_spec(library) is None:
        raise MissingExtra(part, extra)
    rival = RIVALS.get(library)
    if rival is not None and sys.modules.get(rival) is not None:
        raise EncoderUnavailable(
            f"{library} cannot be loaded along with {rival}, which this process has already loaded "
            f"(the two crash together); use the encoders `use` and `sbert` in separate processes"
        )


def located(encoder: str, model: str, named_elsewhere: bool) -> str:
    """Return a model's folder, here or in ARGSEARCH_MODELS, or else its name on the hub.

    named_elsewhere: true if `model` may be a name on the hub. If `model` is neither a folder nor
    such a name, raises EncoderUnavailable.
    """
    folder = model_path(model)
    if folder.is_dir():
        return str(folder)
    if named_elsewhere:
        return model
    raise EncoderUnavailable(
        f"encoder {encoder}: there is no folder {model!r}; "
        "give the folder of a model, or its name on the hub"
    )


@contextmanager
def loading(encoder: str, remedy: str, what: str = "encoder") -> Iterator[None]:
    """Turn any error that a library raises while it opens a model into a one-line error.

    Libraries raise OSError, ValueError, their own classes and, for damaged files, nearly anything.
    """
    try:
        yield
    except EncoderUnavailable:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
        raise EncoderUnavailable(
            f"{what} {encoder} cannot be loaded: {reason}; {remedy}"
        ) from error
