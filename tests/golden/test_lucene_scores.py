"""The golden scores, asked of Lucene again."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = [pytest.mark.lucene, pytest.mark.slow]


def test_golden_file_is_what_lucene_says(lucene: ModuleType) -> None:
    golden = json.loads(Path(__file__).with_name("scores.json").read_text("utf-8"))
    docs = list(golden["documents"].items())
    for mu, hits in zip(golden["mu"], golden["hits"], strict=True):
        answers = lucene.lucene_scores(docs, golden["queries"], None, mu)
        assert answers == [[(name, score) for name, score in found] for found in hits]


def test_top_k_is_the_head_of_all(lucene: ModuleType) -> None:
    docs = [(f"d{i}", "tax " * (i % 7) + "reform " * (i % 5) + "and more") for i in range(300)]
    everything = lucene.lucene_scores(docs, ["tax reform"], None, 100)
    assert lucene.lucene_scores(docs, ["tax reform"], 20, 100)[0] == everything[0][:20]
