"""Loading a quality model: the one that ships, a file's, or none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from argsearch.indexer.errors import short
from argsearch.indexer.quality.protocol import NoQuality, QualityModel

if TYPE_CHECKING:
    from argsearch.indexer.quality.files import ModelFile

MODELS = Path(__file__).resolve().parent.parent / "models"
DEFAULT_FILE = MODELS / "quality-default.npz"
WORDS_FILE = MODELS / "quality-words.npz"
SHIPPED = {"default": DEFAULT_FILE, "words": WORDS_FILE}
"""The models that ship with the package, by name."""


def load_quality_model(spec: str) -> QualityModel:
    """The model `default` or `words` (both ship with the package), `none`, or one at a path.

    A file is of `argsearch train quality`, a folder of `argsearch train ltr`. Raises
    QualityModelError, in one line with the remedy, for a missing, foreign, newer or damaged one.
    """
    if spec == "none":
        return NoQuality()
    if spec not in SHIPPED and Path(spec).is_dir():
        from argsearch.indexer.quality.kinds.listwise import ListwiseQuality

        return ListwiseQuality.open(spec)
    from argsearch.indexer.quality.files import QualityModelError, read_model

    file = read_model(SHIPPED.get(spec) or Path(spec))
    try:
        return _of_kind(spec, file)
    except (KeyError, ValueError, TypeError) as error:
        raise QualityModelError(
            spec, f"lacks an array or holds one of another shape: {error!s:.200}"
        ) from error


def _of_kind(spec: str, file: ModelFile) -> QualityModel:
    from argsearch.indexer.quality.files import QualityModelError

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
    raise QualityModelError(spec, f"holds a model of kind {shown}; known kinds: {known}")
