"""The benchmark's Lucene: its ways to Eq. 1 agree with each other and with the formula."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from argsearch.ranking.combination import combine
from benchmarks.lucene_peer import Question, build, query

pytestmark = [pytest.mark.lucene, pytest.mark.slow]


def test_equation_1(lucene: ModuleType, tmp_path: Path) -> None:
    C, omega_Q = [0.0, 0.25, 0.5, 1.0], 5.0
    docs = {f"d{i:03d}": "tax " * (i % 7) + "reform " * (i % 5) + "word " * i for i in range(200)}
    quality = {name: i % 11 / 10 for i, name in enumerate(docs)}
    cluster = {name: i % 4 for i, name in enumerate(docs)}
    with (tmp_path / "docs.jsonl").open("w") as stream:
        for name, text in docs.items():
            row = {"id": name, "text": text, "cluster": cluster[name], "quality": quality[name]}
            stream.write(json.dumps(row) + "\n")
    report = build(tmp_path / "docs.jsonl", tmp_path / "index", threads=1)
    assert report["documents"] == 200
    questions = [Question("q", "tax reform reform", [1 + 10 * c for c in C], omega_Q)]
    tasks = [("plain", 200), ("function", 200), ("collector", 200), ("collector", 10)]
    plain, function, collector, ten = query(tmp_path / "index", questions, tasks, rounds=2)
    R = lucene.lucene_scores(docs.items(), ["tax reform reform"])[0]
    assert dict(zip(plain["ids"], plain["scores"], strict=True)) == pytest.approx(dict(R), rel=1e-6)
    expected = {d: float(combine(r, C[cluster[d]], quality[d], 10, omega_Q)) for d, r in R}
    for answer in (function, collector):
        assert dict(zip(answer["ids"], answer["scores"], strict=True)) == pytest.approx(
            expected, rel=1e-5
        )
        assert len(answer["milliseconds"]) == 2
    assert ten["ids"] == collector["ids"][:10]
