"""The sample corpus: its shape, its mixture and its judgements."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from argsearch import indexer
from argsearch.lab.runs.topics import Topic, read_topics
from argsearch.lab.runs.trec import read_qrels

SAMPLE = Path(indexer.__file__).parent / "sample"


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, Any]]:
    """The documents by their ids."""
    corpus = json.loads((SAMPLE / "arguments.json").read_text(encoding="utf-8"))
    assert list(corpus) == ["arguments"]
    found = {document["id"]: document for document in corpus["arguments"]}
    assert len(found) == len(corpus["arguments"])
    return found


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    return read_topics(SAMPLE / "topics.xml")


def judged(name: str) -> dict[str, dict[str, int]]:
    """The grades of documents by topic."""
    return {q: dict(g) for q, g in read_qrels(SAMPLE / f"{name}.qrels").grades.items()}


def test_every_topic_has_arguments_of_both_sides_and_several_conclusions(
    documents: dict[str, dict[str, Any]], topics: list[Topic]
) -> None:
    assert [topic.query_id for topic in topics] == [str(n) for n in range(1, len(topics) + 1)]
    assert len(topics) >= 18
    relevance = judged("relevance")
    for topic in topics:
        assert topic.title.endswith("?")
        assert topic.description
        assert topic.narrative
        found = [documents[i] for i, grade in relevance[topic.query_id].items() if grade > 0]
        assert len(found) >= 11
        assert Counter(d["premises"][0]["stance"] for d in found).most_common()[-1][1] >= 4
        assert len({document["conclusion"] for document in found}) >= 3


def test_every_argument_is_judged_and_has_one_quality_in_all_topics(
    documents: dict[str, dict[str, Any]], topics: list[Topic]
) -> None:
    relevance, quality = judged("relevance"), judged("quality")
    assert set(relevance) == set(quality) == {topic.query_id for topic in topics}
    graded: dict[str, set[int]] = defaultdict(set)
    for topic, grades in relevance.items():
        assert set(grades) == set(quality[topic])
        for id in grades:
            graded[id].add(quality[topic][id])
    assert set(graded) == set(documents)
    assert all(len(grades) == 1 for grades in graded.values())
