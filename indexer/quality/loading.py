"""Loading a quality model: the one that ships, a file's, or none."""

from __future__ import annotations

from pathlib import Path

from argsearch.indexer.errors import short
from argsearch.indexer.model_files import QUALITY, ModelFile, shipped
from argsearch.indexer.quality.protocol import NoQuality, QualityModel

DEFAULT_FILE = shipped("quality-default")
WORDS_FILE = shipped("quality-words")
SHIPPED = {"default": DEFAULT_FILE, "words": WORDS_FILE}
"""The models that ship with the package, by name."""


def load_quality_model(spec: str) -> QualityModel:
    """The model `default` or `words` (both ship with the package), `none`, or one at a path.

    A file is of `argsearch train quality`, a folder of `argsearch train ltr`. Raises
    ModelError, in one line with the remedy, for a missing, foreign, newer or damaged one.
    """
    if spec == "none":
        return NoQuality()
    if spec not in SHIPPED and Path(spec).is_dir():
        from argsearch.indexer.quality.kinds.listwise import ListwiseQuality

        return ListwiseQuality.open(spec)
    file = QUALITY.read(SHIPPED.get(spec) or Path(spec))
    with QUALITY.unpacking(spec):
        return _of_kind(spec, file)


def _of_kind(spec: str, file: ModelFile) -> QualityModel:
    kind = file.header.get("kind")
    if kind == "features":
        from argsearch.indexer.quality.kinds.surface import SurfaceQuality

        return SurfaceQuality.from_file(spec, file)
    if kind == "h21":
        from argsearch.indexer.quality.kinds.heimdall import HeimdallQuality

        return HeimdallQuality.from_file(spec, file)
    if kind == "words":
        from argsearch.indexer.quality.kinds.words import WordsQuality

        return WordsQuality.from_file(spec, file)
    known = "features, h21, words"
    shown = short(repr(kind))
    raise QUALITY.error(spec, f"holds a model of kind {shown}; known kinds: {known}")
