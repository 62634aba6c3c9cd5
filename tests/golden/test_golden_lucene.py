"""Answers of Lucene kept in files, so that they are checked without Java too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.batch import tokenize
from argsearch.ranking.similarities.dirichlet import dirichlet
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths

HERE = Path(__file__).parent


def _golden(name: str) -> Any:
    return json.loads((HERE / name).read_text("utf-8"))


def test_tokens_one_text_at_a_time() -> None:
    analyzer = StandardAnalyzer()
    for case in _golden("tokens.json"):
        assert analyzer.tokens(case["text"]) == case["tokens"], case["text"]


@pytest.mark.thorough
def test_tokens_of_all_texts_at_once() -> None:
    cases = _golden("tokens.json")
    batch = tokenize([case["text"] for case in cases])
    terms = [term.decode("utf-8") for term in batch.terms]
    tokens = [terms[number] for number in batch.ids]
    assert tokens == [token for case in cases for token in case["tokens"]]
    assert np.diff(batch.offsets).tolist() == [len(case["tokens"]) for case in cases]


@pytest.mark.parametrize("which", [0, 1])
def test_scores_by_the_plain_expression(which: int) -> None:
    golden = _golden("scores.json")
    mu, ids = golden["mu"][which], sorted(golden["documents"])
    batch = tokenize([golden["documents"][name] for name in ids])
    counts = np.zeros((len(ids), len(batch.terms)))
    np.add.at(counts, (np.repeat(np.arange(len(ids)), np.diff(batch.offsets)), batch.ids), 1)
    dl = LENGTH_TABLE[encode_lengths(np.diff(batch.offsets))]
    column = {term.decode(): number for number, term in enumerate(batch.terms)}
    for query, hits in zip(golden["queries"], golden["hits"][which], strict=True):
        scores, matches = np.zeros(len(ids)), np.zeros(len(ids), dtype=bool)
        for token in StandardAnalyzer().tokens(query):
            if token in column:
                tf = counts[:, column[token]]
                R = dirichlet(tf, dl, tf.sum(), counts.sum(), mu)
                scores += np.where(tf > 0, R, 0.0)
                matches |= tf > 0
        found = {ids[i]: scores[i] for i in np.flatnonzero(matches)}
        assert found == pytest.approx(dict(hits), rel=1e-6, abs=1e-9), query
        assert [name for name, _ in hits] == sorted(found, key=lambda name: (-found[name], name))
