"""Sentence encoders: parses specs and loads the encoders."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from argsearch.indexer.encoders.base import Encoder, EncoderUnavailable, NoEncoder, question_row
from argsearch.indexer.encoders.minilm import MiniLmEncoder
from argsearch.indexer.encoders.onnx import OnnxEncoder
from argsearch.indexer.encoders.sbert import SbertEncoder
from argsearch.indexer.encoders.use import UseEncoder
from argsearch.indexer.encoders.wordllama import WordLlamaEncoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking import plugins

__all__ = ["Encoder", "EncoderUnavailable", "question_row"]

ENCODERS: tuple[type[Encoder], ...] = (
    WordLlamaEncoder,
    UseEncoder,
    SbertEncoder,
    OnnxEncoder,
    MiniLmEncoder,
    NoEncoder,
)
"""Built-in encoders; a heavy library is only imported when its encoder is loaded."""
_PLUGGED = plugins.named("encoders", {one.scheme for one in ENCODERS})

SPECS: str = ", ".join(
    [
        *(
            form
            for one in ENCODERS
            for form, known in (
                (one.scheme, one.default is not None),
                (f"{one.scheme}:{one.models}", one.models),
            )
            if known
        ),
        *_PLUGGED,
    ]
)
"""The possible forms of a spec, as text."""
_REBUILD = "to change the encoder, build the index again with: argsearch index CORPUS --out INDEX"


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """A parsed spec: the encoder and its model (empty if the encoder has only one)."""

    encoder: type[Encoder]
    model: str
    place: str = ""
    """Location of the class, `module:Class`, if the spec names one."""

    @property
    def name(self) -> str:
        """The spec in its canonical form."""
        scheme = self.place or self.encoder.scheme
        return f"{scheme}:{self.model}" if self.model else scheme

    @property
    def light(self) -> bool:
        """True if the encoder needs no neural library, whose threads do not survive a fork."""
        return self.encoder.light


def parse_spec(spec: str) -> EncoderSpec:
    """Parse `scheme` or `scheme:model`; raise InvalidParameter if no encoder matches."""
    scheme, colon, model = (part.strip() for part in spec.partition(":"))
    plugged = [plugins.load(_PLUGGED[scheme.lower()])] if scheme.lower() in _PLUGGED else []
    for encoder in (*ENCODERS, *plugged):
        if encoder.scheme != scheme.lower():
            continue
        if model and encoder.models:
            return EncoderSpec(encoder, model)
        if not colon and encoder.default is not None:
            return EncoderSpec(encoder, encoder.default)
    if plugins.PLACE.fullmatch(place := ":".join(spec.split(":")[:2])) and "." in scheme:
        found = plugins.at(place, Encoder)
        return EncoderSpec(found, spec[len(place) + 1 :] or found.default or "", place)
    raise InvalidParameter("encoder", spec, f"one of {SPECS}; {_REBUILD}")


def load_encoder(spec: str) -> Encoder:
    """Return the encoder that `spec` names (docs/encoders.md); one object per model and process.

    Raises InvalidParameter (unknown spec), MissingExtra (a library is not installed) or
    EncoderUnavailable (the model is missing, unreachable or of the wrong kind).
    """
    return _load(parse_spec(spec))


def check_encoder(spec: str) -> None:
    """Raise the errors of `load_encoder` that can be detected without loading anything.

    They are raised for an unknown spec, an extra that is not installed, a conflicting library in
    this process, or a folder that does not exist. A build calls this before it reads the corpus.
    """
    parsed = parse_spec(spec)
    parsed.encoder.find(parsed.model)


@lru_cache(maxsize=4)
def _load(spec: EncoderSpec) -> Encoder:
    encoder = spec.encoder(spec.model)
    if spec.place:
        encoder.name = spec.name  # the index finds the encoder by this name
    return encoder
