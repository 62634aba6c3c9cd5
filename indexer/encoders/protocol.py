"""What every sentence encoder offers, and how a spec names one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError, InvalidParameter

SPECS = "wordllama, use, use:FOLDER-OR-HANDLE, sbert:NAME-OR-FOLDER, none"
"""The forms a spec can take, in words."""


class Encoder(Protocol):
    """Turns texts into unit vectors.

    The same text gives the same row, whatever stands beside it in the call as far as the
    encoder's arithmetic allows (exactly for `wordllama`, within 1e-5 for neural encoders).
    """

    @property
    def name(self) -> str:
        """The spec in its canonical form, as an index's manifest keeps it."""

    @property
    def dimensions(self) -> int:
        """Length of a row."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings, float32[len(texts), dimensions]: unit rows (L2), zeros for blank texts."""


class NoEncoder:
    """Embeds nothing: rows of length 0, so that there are no clusters (C = 0 everywhere, H21)."""

    name = "none"
    dimensions = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Zeros of shape float32[len(texts), 0]."""
        return np.zeros((len(texts), 0), np.float32)


class EncoderUnavailable(ArgsearchError):
    """An encoder's model cannot be loaded: missing, unreachable or of another kind."""


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """A parsed spec: which encoder, and which model of it (empty where it has only one)."""

    kind: str
    model: str

    @property
    def name(self) -> str:
        """The canonical spec."""
        return f"{self.kind}:{self.model}" if self.model else self.kind

    @property
    def light(self) -> bool:
        """Whether it works without a neural library, whose threads do not survive a fork."""
        return self.kind in ("wordllama", "none")


USE_HANDLE = "https://tfhub.dev/google/universal-sentence-encoder/4"
"""What plain `use` means: the encoder of H21, from TensorFlow Hub."""


def parse_spec(spec: str) -> EncoderSpec:
    """Read `kind` or `kind:model`; raises InvalidParameter when no encoder has that form."""
    kind, colon, model = spec.strip().partition(":")
    kind, model = kind.strip().lower(), model.strip()
    if kind in ("wordllama", "none") and not colon:
        return EncoderSpec(kind, "")
    if kind == "use" and (model or not colon):
        return EncoderSpec(kind, model or USE_HANDLE)
    if kind == "sbert" and model:
        return EncoderSpec(kind, model)
    raise InvalidParameter("encoder", spec, SPECS)
