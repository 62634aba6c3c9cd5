"""The models of relevance by name, and their parameters as keys of a configuration.

A new model is a file beside this one and a line in `SIMILARITIES`, or a plug-in.
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
"""Each model's class; `FieldWeights` becomes one when it knows the fields of an index."""


COMMON_KEYS = ("model", "fields", "lengths", "stem_conflation")
"""The keys that a configuration has for all models."""


def keys_of(name: str) -> dict[str, Field[Any]]:
    """The keys of a configuration that a model reads, with the fields they set."""
    model: Any = SIMILARITIES[name]
    return {one.metadata["key"] or one.name: one for one in fields(model)}


def keys() -> dict[str, Field[Any]]:
    """The keys that any model reads.

    Raises ValueError where two models read one key with another default, range or sentence, or one
    that section [retrieval] has for all models.
    """
    found: dict[str, Field[Any]] = {}
    for name in SIMILARITIES:
        for key, one in keys_of(name).items():
            if key in COMMON_KEYS:
                raise ValueError(f"{name} has the key {key!r}, which all models have already")
            first = found.setdefault(key, one)
            if (first.default, first.metadata) != (one.default, one.metadata):
                raise ValueError(f"{name} reads the key {key!r} otherwise than a model before it")
    return found


def weighs_fields(name: str) -> bool:
    """Whether a model reads several fields at once, each by its weight."""
    return SIMILARITIES.get(name) is FieldWeights


def make(name: str, settings: object) -> Any:
    """The model of that name, its parameters being the attributes of `settings` with its keys.

    Raises ValueError for a value that the model does not take.
    """
    values = {one.name: getattr(settings, key) for key, one in keys_of(name).items()}
    return SIMILARITIES[name](**values)
