"""Loading a quality model: the one that ships, a file's, or none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indexer.quality.protocol import NoQuality, QualityModel

if TYPE_CHECKING:
    from indexer.quality.files import ModelFile

DEFAULT_FILE = Path(__file__).resolve().parent.parent / "models" / "quality-default.npz"
"""The model that ships with the package."""


def load_quality_model(spec: str) -> QualityModel:
    """The model `default` (ships with the package), `none`, or the model at a path.

    A file is of `argsearch train quality`, a folder of `argsearch train ltr`. Raises
    QualityModelError, in one line with the remedy, for a missing, foreign, newer or damaged one.
    """
    if spec == "none":
        return NoQuality()
    if Path(spec).is_dir():
        from indexer.quality.kinds.listwise import ListwiseQuality

        return ListwiseQuality.open(spec)
    from indexer.quality.files import QualityModelError, read_model

    file = read_model(DEFAULT_FILE if spec == "default" else Path(spec))
    try:
        return _of_kind(spec, file)
    except (KeyError, ValueError, TypeError) as error:
        raise QualityModelError(
            spec, f"lacks an array or holds one of another shape: {error}"
        ) from error


def _of_kind(spec: str, file: ModelFile) -> QualityModel:
    from indexer.quality.files import QualityModelError

    kind = file.header.get("kind")
    if kind == "features":
        from indexer.quality.kinds.surface import SurfaceQuality

        return SurfaceQuality.from_file(spec, file)
    if kind == "h21":
        from indexer.quality.kinds.heimdall import HeimdallQuality

        return HeimdallQuality.from_file(spec, file)
    if kind == "words":
        from indexer.quality.kinds.words import WordsQuality

        return WordsQuality.from_file(spec, file)
    known = "features, h21, words"
    raise QualityModelError(spec, f"holds a model of kind {kind!r}; known kinds: {known}")
