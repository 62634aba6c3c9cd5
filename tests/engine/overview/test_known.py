"""What an index knows apart from any question."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from argsearch.engine.backends.server.backend import ServerBackend
from argsearch.engine.overview import known as knowing
from argsearch.engine.overview.questions import question_of
from argsearch.engine.stance.claims import read_claim


def test_examples_are_frequent_debatable_and_different(engine):
    found = engine.known.examples
    assert len(found) == len(set(found)) == knowing.EXAMPLES
    counts = {
        question_of(one.conclusion, one.premise): one for one in knowing._counted(engine.backend)
    }
    clusters = {counts[question].cluster for question in found}
    assert len(clusters) == knowing.EXAMPLES
    about = {q: frozenset(read_claim(one.conclusion).subject) for q, one in counts.items()}
    totals = Counter()
    for question, one in counts.items():
        totals[about[question]] += one.arguments * knowing._debatable(one.conclusion)
    asked = [q for q, one in counts.items() if (q or "").startswith("Should") and one.both]
    assert set(found) <= set(asked)
    least = min(totals[about[question]] for question in found)
    assert {counts[q].cluster for q in asked if totals[about[q]] > least} <= clusters


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("Zoos should be abolished", "Should zoos be abolished?"),
        ("The death penalty should NOT be allowed", "Should the death penalty be allowed?"),
        ("Resolved: Police officers ought to wear cameras", "Should police officers wear cameras?"),
        ("The US Penny Should be Taken out of Service",
         "Should the US penny be taken out of service?"),
        ("America should leave.", "Should America leave?"),
        ("Golf is not a sport", "Is golf a sport?"),
        ("Should Tenures Be Taken Away", "Should tenures be taken away?"),
        ("Is golf a sport?", "Is golf a sport?"),
        ("iPhones are good phones", "Are iPhones good phones?"),
        ("Everyone should vote", "Should everyone vote?"),
        ("Gun control laws", None),
        ("In a democracy, felons should vote", None),
        ("What is good is what should be done", None),
        ("You people are naive", None),
    ],
)  # fmt: skip
def test_a_claim_is_the_question_that_people_ask(claim, question):
    assert question_of(claim, "People play golf; a golf club.") == question


def test_bare_subjects_questions_of_one_word_and_essays_are_no_examples():
    for conclusion in (
        "Zoos",
        "18 Challenges for Evolutionists",
        "Ban it",
        "Zoos are bad " * 9,
        "Ban zoos/farms now",
    ):
        assert not knowing._debatable(conclusion)
    assert knowing._debatable("Zoos should be abolished")


def test_an_index_that_cannot_count_is_asked(engine):
    asked = list(knowing._asked(engine.backend))
    counted = {one.conclusion: one.arguments for one in knowing._counted(engine.backend)}
    assert asked
    for one in asked:
        assert 0 < one.arguments <= counted[one.conclusion]
        assert one.cluster < 0  # unknown, and no other's
    assert len({one.cluster for one in asked}) == len(asked)


def test_quality_is_the_one_of_the_score(engine):
    hit = engine.search("should zoos be abolished", k=1)[0]
    node = hit.explanation.find("Q")
    assert knowing.predicted_quality(engine.backend, hit.id) == pytest.approx(node.value)
    assert knowing.predicted_quality(engine.backend, "no such id") is None


def test_a_server_is_asked_for_one_value(engine):
    bodies = []

    def run(body):
        bodies.append(body)
        found = body["query"]["term"]["id"] == "a"
        return {"hits": {"hits": [{"fields": {"quality": [0.25]}}] if found else []}}

    backend = object.__new__(ServerBackend)
    backend.info = engine.info
    backend.session = SimpleNamespace(run=run)
    assert knowing.predicted_quality(backend, "a") == 0.25
    assert knowing.predicted_quality(backend, "b") is None
    assert [body["size"] for body in bodies] == [1, 1]
