"""The relevance models by name, and their parameters as keys of a configuration.

To add a model, add a file here and a line in `SIMILARITIES`, or write a plug-in.
"""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any

from argsearch.ranking import plugins
from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.bm25f import FieldWeights
from argsearch.ranking.similarities.dfr import DFR
from argsearch.ranking.similarities.dirichlet import Dirichlet
from argsearch.ranking.similarities.dph import DPH
from argsearch.ranking.similarities.statistics import Similarity
from argsearch.ranking.similarities.tfidf import TFIDF

SIMILARITIES: dict[str, type[Similarity] | type[FieldWeights]] = {
    "dirichlet": Dirichlet,
    "bm25": BM25,
    "bm25f": FieldWeights,
    "tfidf": TFIDF,
    "dph": DPH,
    "dfr": DFR,
}
SIMILARITIES |= plugins.loaded("similarities", SIMILARITIES)
"""The class of each model. `FieldWeights` builds its model from an index's field lengths."""


COMMON_KEYS = ("model", "fields", "lengths", "stem_conflation", "spelling_conflation")
"""Configuration keys that all models have."""


def keys_of(name: str) -> dict[str, Field[Any]]:
    """Return the configuration keys of a model, each with the dataclass field that it sets."""
    model: Any = SIMILARITIES[name]
    return {one.metadata["key"] or one.name: one for one in fields(model)}


def keys() -> dict[str, Field[Any]]:
    """Return the configuration keys of all models.

    Raises ValueError if two models give the same key different defaults, ranges or descriptions, or
    if a model uses a key that section [retrieval] has for all models.
    """
    found: dict[str, Field[Any]] = {}
    for name in SIMILARITIES:
        for key, one in keys_of(name).items():
            if key in COMMON_KEYS:
                raise ValueError(f"{name} must not define the key {key!r}, which all models have")
            first = found.setdefault(key, one)
            if (first.default, first.metadata) != (one.default, one.metadata):
                raise ValueError(f"{name} and an earlier model define the key {key!r} differently")
    return found


def weighs_fields(name: str) -> bool:
    """Return True if a model reads several fields, each with its own weight."""
    return SIMILARITIES.get(name) is FieldWeights


def make(name: str, settings: object) -> Any:
    """Build the named model from the attributes of `settings` that correspond to its keys.

    Raises ValueError if the model does not accept a value.
    """
    values = {one.name: getattr(settings, key) for key, one in keys_of(name).items()}
    return SIMILARITIES[name](**values)
