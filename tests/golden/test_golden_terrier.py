"""DPH and BM25F beside Terrier: answers kept in a file, and Terrier asked again."""

from __future__ import annotations

import json
from types import ModuleType

import pytest

from argsearch.ranking.similarities.bm25f import BM25F, WeightedField
from argsearch.ranking.similarities.dph import DPH
from argsearch.ranking.similarities.statistics import Statistics
from tests.golden import terrier_referee


def golden() -> list[tuple[str, float]]:
    pairs = json.loads(terrier_referee.GOLDEN.read_text("ascii"))
    return [(question, answer) for question, answer in pairs]


def asked(model: str) -> list[tuple[list[float], float]]:
    """The numbers of each question about a model, and Terrier's answer."""
    split = [(question.split(), answer) for question, answer in golden()]
    return [(list(map(float, words)), answer) for (name, *words), answer in split if name == model]


def test_dph_is_terriers_and_never_negative() -> None:
    cases = asked("dph")
    assert sum(answer < 0 for _, answer in cases) > 5, "some terms are rarer than chance"
    assert sum(answer > 0 for _, answer in cases) > 50
    for (tf, dl, *counts), answer in cases:
        ttf, N, T = map(int, counts)
        score = float(DPH().score(tf, dl, Statistics(1, ttf, N, T)))
        assert score == pytest.approx(max(0.0, answer), rel=1e-9, abs=1e-15), (tf, dl, counts)


def test_the_frequency_over_all_fields_is_terriers() -> None:
    term = Statistics(1, 1, 1, 1)
    for values, answer in asked("bm25f"):
        rows = [values[i : i + 5] for i in range(0, len(values), 5)]
        fields = tuple(
            WeightedField(f"f{i}", w, b, mean) for i, (w, b, mean, _, _) in enumerate(rows)
        )
        tfs, dls = [row[3] for row in rows], [row[4] for row in rows]
        _, x, _ = BM25F(fields).explain(tfs, dls, term).details
        assert x.value == pytest.approx(answer, rel=1e-12), values
        idf, _, k1 = BM25F(fields).explain(tfs, dls, term).details
        wanted = idf.value * answer / (answer + k1.value) if answer else 0.0
        assert BM25F(fields).score(tfs, dls, term) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.lucene
@pytest.mark.slow
def test_golden_file_is_what_terrier_says(lucene: ModuleType) -> None:
    questions = [question for question, _ in golden()]
    assert questions == terrier_referee.questions()
    assert terrier_referee.terrier_answers(questions) == [answer for _, answer in golden()]
