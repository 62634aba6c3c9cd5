"""The sample corpus: its shape, its mixture and its judgements."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from argsearch import indexer
from argsearch.indexer.corpus import Argument, ReadReport, read
from argsearch.lab.runs.topics import Topic, read_topics
from argsearch.lab.runs.trec import read_qrels

SAMPLE = Path(indexer.__file__).parent / "sample"
CONTEXT = {
    "sourceId",
    "sourceTitle",
    "sourceUrl",
    "sourceDomain",
    "discussionTitle",
    "mode",
    "acquisitionTime",
}

Judgements = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    corpus = json.loads((SAMPLE / "arguments.json").read_text(encoding="utf-8"))
    assert list(corpus) == ["arguments"]
    found: list[dict[str, Any]] = corpus["arguments"]
    return found


@pytest.fixture(scope="module")
def arguments() -> list[Argument]:
    return list(read(SAMPLE / "arguments.json"))


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    return read_topics(SAMPLE / "topics.xml")


@pytest.fixture(scope="module")
def relevance() -> Judgements:
    return {q: dict(g) for q, g in read_qrels(SAMPLE / "relevance.qrels").grades.items()}


@pytest.fixture(scope="module")
def quality() -> Judgements:
    return {q: dict(g) for q, g in read_qrels(SAMPLE / "quality.qrels").grades.items()}


def test_every_document_has_the_args_me_shape(documents: list[dict[str, Any]]) -> None:
    for document in documents:
        assert list(document) == ["id", "conclusion", "premises", "context"]
        assert document["conclusion"] is None or document["conclusion"].strip()
        assert document["premises"]
        for premise in document["premises"]:
            assert set(premise) == {"text", "stance", "annotations"}
            assert premise["text"] == premise["text"].strip() != ""
            assert premise["stance"] in {"PRO", "CON"}
            assert premise["annotations"] == []
        assert set(document["context"]) == CONTEXT
        assert document["context"]["sourceUrl"].startswith("https://example.org/")
        assert document["context"]["sourceDomain"] == "sample"


def test_ids_are_unique_and_begin_with_the_source(documents: list[dict[str, Any]]) -> None:
    ids = [document["id"] for document in documents]
    assert len(set(ids)) == len(ids)
    for document in documents:
        assert re.fullmatch(r"S[0-9a-f]{8}-A[0-9a-f]{8}", document["id"])
        assert document["id"].startswith(document["context"]["sourceId"] + "-")


def test_the_reader_takes_the_whole_file(documents: list[dict[str, Any]]) -> None:
    report = ReadReport()
    found = list(read(SAMPLE / "arguments.json", report=report))
    assert [a.id for a in found] == [d["id"] for d in documents]
    assert [[p.text for p in a.premises] for a in found] == [
        [p["text"] for p in d["premises"]] for d in documents
    ]
    assert [a.conclusion for a in found] == [d["conclusion"] for d in documents]


def test_topics_are_complete(topics: list[Topic]) -> None:
    assert [topic.query_id for topic in topics] == [str(n) for n in range(1, len(topics) + 1)]
    assert len(topics) >= 18
    assert all(t.title.endswith("?") and t.description and t.narrative for t in topics)


def test_every_topic_has_arguments_of_both_sides_and_several_conclusions(
    arguments: list[Argument], topics: list[Topic], relevance: Judgements
) -> None:
    by_id = {argument.id: argument for argument in arguments}
    for topic in topics:
        found = [by_id[i] for i, grade in relevance[topic.query_id].items() if grade > 0]
        assert len(found) >= 11
        assert Counter(a.stance for a in found).most_common()[-1][1] >= 4
        assert len({argument.conclusion for argument in found}) >= 3


def test_every_argument_is_judged_and_every_judgement_has_an_argument(
    arguments: list[Argument], topics: list[Topic], relevance: Judgements, quality: Judgements
) -> None:
    assert set(relevance) == set(quality) == {topic.query_id for topic in topics}
    for topic, grades in relevance.items():
        assert set(grades) == set(quality[topic])
    judged = {i for grades in relevance.values() for i in grades}
    assert judged == {argument.id for argument in arguments}


def test_an_argument_has_one_quality_in_all_topics(quality: Judgements) -> None:
    found: dict[str, set[int]] = defaultdict(set)
    for grades in quality.values():
        for argument, grade in grades.items():
            found[argument].add(grade)
    assert all(len(grades) == 1 for grades in found.values())
