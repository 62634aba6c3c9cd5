"""H21's own model on texts: TF-IDF, a support vector gate, support vector regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import ModelFile, numbers, packed_terms, unpacked_terms
from argsearch.indexer.quality.protocol import ClippedQuality
from argsearch.ranking.quality.svm.machines import Decisions, Machines
from argsearch.ranking.quality.svm.tfidf import TfIdfVocabulary, count_terms

COMPARED_AT_ONCE = 512
"""Texts scored at a time; bounds memory, changes no prediction."""


def pack(vocabulary: TfIdfVocabulary, machines: Machines) -> dict[str, NDArray[Any]]:
    """Vocabulary and both stages as the arrays of a model file."""
    return {
        "terms": packed_terms(vocabulary.terms),
        "idf": vocabulary.idf,
        "starts": machines.starts,
        "ids": machines.ids,
        "values": machines.values,
        "alpha": machines.alpha,
        "gamma": machines.gamma,
        "bias": machines.bias,
    }


def unpack(arrays: dict[str, NDArray[Any]]) -> tuple[TfIdfVocabulary, Machines]:
    """What `pack` stored; raises ValueError or KeyError for numbers that lead out of the arrays."""
    terms = unpacked_terms(arrays)
    starts, ids = (numbers(arrays, name, -1, kind="i") for name in ("starts", "ids"))
    values, n = numbers(arrays, "values", len(ids)), len(starts) - 1
    whole = n >= 0 and starts[0] == 0 and starts[-1] == len(ids) and (np.diff(starts) >= 0).all()
    if not whole or (len(ids) and not 0 <= ids.min() <= ids.max() < len(terms)):
        raise ValueError("starts or ids lead out of their arrays")
    alpha = numbers(arrays, "alpha", 2, n)
    gamma, bias = numbers(arrays, "gamma", 2), numbers(arrays, "bias", 2)
    idf = numbers(arrays, "idf", len(terms))
    return TfIdfVocabulary(terms, idf), Machines(starts, ids, values, alpha, gamma, bias)


@dataclass(frozen=True)
class HeimdallQuality(ClippedQuality):
    """H21: a text the gate rejects has Q = 0, any other its regression."""

    name: str
    sha256: str
    header: dict[str, Any]
    index: dict[str, int]
    decisions: Decisions

    @classmethod
    def from_file(cls, name: str, file: ModelFile) -> HeimdallQuality:
        """The model a file holds."""
        vocabulary, machines = unpack(file.arrays)
        index = {term: i for i, term in enumerate(vocabulary.terms)}
        return cls(name, file.sha256, file.header, index, Decisions(machines, vocabulary.idf))

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Regression float32[n], unclipped; NaN for no argument and for a text of unknown terms."""
        out = np.empty(len(premises), dtype=np.float32)
        for start in range(0, len(premises), COMPARED_AT_ONCE):
            counts = count_terms(premises[start : start + COMPARED_AT_ONCE], self.index)
            gate, quality = self.decisions(counts).T
            known = np.diff(counts.starts) > 0
            out[start : start + COMPARED_AT_ONCE] = np.where((gate > 0) & known, quality, np.nan)
        return out
