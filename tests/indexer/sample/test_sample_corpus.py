"""The sample corpus: its shape, its mixture and its judgements."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from argsearch import indexer
from argsearch.indexer.corpus import Argument, ReadReport, Stance, read
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


def _words(argument: Argument) -> int:
    return len(argument.premise.split())


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


def test_arguments_of_one_source_share_a_conclusion(documents: list[dict[str, Any]]) -> None:
    seen: dict[str, set[str | None]] = defaultdict(set)
    titles: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        source = document["context"]["sourceId"]
        seen[source].add(document["conclusion"])
        titles[source].add(document["context"]["discussionTitle"])
    assert all(len(found) == 1 for found in seen.values())
    assert all(len(found) == 1 for found in titles.values())


def test_the_file_holds_one_argument_a_line() -> None:
    lines = (SAMPLE / "arguments.json").read_text(encoding="utf-8").splitlines()
    assert lines[0] == '{"arguments": ['
    assert lines[-1] == "]}"
    ids = [json.loads(line.rstrip(","))["id"] for line in lines[1:-1]]
    assert len(ids) >= 280


def test_the_reader_takes_the_whole_file(documents: list[dict[str, Any]]) -> None:
    report = ReadReport()
    found = list(read(SAMPLE / "arguments.json", report=report))
    assert [a.id for a in found] == [d["id"] for d in documents]
    assert [[p.text for p in a.premises] for a in found] == [
        [p["text"] for p in d["premises"]] for d in documents
    ]
    assert [a.conclusion for a in found] == [d["conclusion"] for d in documents]


def test_both_sides_have_about_half(arguments: list[Argument]) -> None:
    stances = Counter(argument.stance for argument in arguments)
    assert set(stances) == {Stance.PRO, Stance.CON}
    assert 0.45 <= stances[Stance.PRO] / len(arguments) <= 0.55


def test_a_few_conclusions_are_null(arguments: list[Argument]) -> None:
    nulls = sum(argument.conclusion is None for argument in arguments)
    assert 5 <= nulls <= len(arguments) // 10


def test_lengths_run_from_one_liners_to_essays(arguments: list[Argument]) -> None:
    words = [_words(argument) for argument in arguments]
    assert min(words) <= 3
    assert max(words) >= 300
    assert sum(count <= 10 for count in words) >= 15
    assert sum(count >= 150 for count in words) >= 50
    assert 30 <= median(words) <= 90


def test_some_texts_hold_other_characters_than_ascii(arguments: list[Argument]) -> None:
    found = {c for argument in arguments for c in argument.premise if not c.isascii()}
    assert {"é", "“", "”", "—", "🚀"} <= found


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


def test_every_topic_uses_all_grades_of_quality(relevance: Judgements, quality: Judgements) -> None:
    for grades in quality.values():
        assert set(grades.values()) == {0, 1, 2}
    for grades in relevance.values():
        assert {1, 2} <= set(grades.values()) <= {0, 1, 2}


def test_an_argument_has_one_quality_in_all_topics(quality: Judgements) -> None:
    found: dict[str, set[int]] = defaultdict(set)
    for grades in quality.values():
        for argument, grade in grades.items():
            found[argument].add(grade)
    assert all(len(grades) == 1 for grades in found.values())


def test_length_alone_does_not_decide_the_quality(
    arguments: list[Argument], quality: Judgements
) -> None:
    grade = {i: g for grades in quality.values() for i, g in grades.items()}
    assert sum(grade[a.id] == 0 and _words(a) >= 150 for a in arguments) >= 8
    assert sum(grade[a.id] == 2 and _words(a) <= 90 for a in arguments) >= 8


def test_every_topic_has_a_poor_argument_that_repeats_the_question(
    arguments: list[Argument], topics: list[Topic], quality: Judgements
) -> None:
    by_id = {argument.id: argument for argument in arguments}
    for topic in topics:
        words = {w for w in re.findall(r"\w+", topic.title.lower()) if len(w) > 3}
        densest = max(
            (by_id[i] for i in quality[topic.query_id] if _words(by_id[i]) >= 15),
            key=lambda a: (
                sum(w in words for w in re.findall(r"\w+", a.premise.lower())) / _words(a)
            ),
        )
        assert quality[topic.query_id][densest.id] == 0, (topic.title, densest.id)
