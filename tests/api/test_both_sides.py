"""`side=both` has what `side=for` and `side=against` answer each; sides of odd questions."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import AnswerModel
from argsearch.engine.results.results import LITTLE

MISSPELT, MEANT = "Should zooos be abolishd?", "Should zoos be abolished?"
ODD = {
    "one word": "zoos",
    "2,000 characters": ("Should zoos be closed? " * 100)[:2000],
    "misspelt": "Shoud zooes be abolihsed?",
    "german": "Sollten Zoos geschlossen werden?",
    "emoji": "🦁 🦓",
    "emoji and a word": "🦁 zoos!",
    "signs": "?!",
    "right to left": "האם יש לסגור zoos?",
}
PER_LIST = ("hits", "total", "first_weak_rank")
APART = {"milliseconds", "lists", "little", "groups", "facets", "values", "w_premises", *PER_LIST}
"""What is a list's own, or of all that matches and not of a side."""
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "k": st.integers(1, 60),
        "page": st.integers(1, 3),
        "explain": st.booleans(),
        "stance": st.sampled_from(["pro", "con"]),
        "where": st.sampled_from(["words > 8", "source = Uniforms"]),
        "sort": st.sampled_from(["-words", "words"]),
        "config": st.sampled_from(["default", "dirichlet", "heimdall-mmr"]),
        "w_quality": st.sampled_from([0.0, 3.5]),
        "sides": st.booleans(),
        "facet": st.just("stance"),
    },
)
QUESTIONS = (*ODD.values(), MISSPELT, "are zoos good", "school uniforms", "no such words xyzzy")


def search(client: TestClient, q: str, **how: Any) -> dict[str, Any]:
    answer = client.get("/api/search", params={"q": q, **how})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.thorough
@settings(max_examples=60, deadline=None, derandomize=True)
@given(question=st.sampled_from(QUESTIONS), how=ASKED)
def test_one_answer_has_what_two_have(client: TestClient, question: str, how: dict) -> None:
    both = search(client, question, side="both", **how)
    AnswerModel.model_validate(both, extra="forbid")
    singles = {side: search(client, question, side=side, **how) for side in ("for", "against")}
    assert both["hits"] == singles["for"]["hits"] + singles["against"]["hits"]
    assert both["little"] == (sum(single["total"] for single in singles.values()) < LITTLE)
    both["notes"] = both["notes"][both["little"] :]
    assert list(both["lists"]) == ["for", "against"]
    for side, single in singles.items():
        assert both["lists"][side] == {"total": single["total"], "first_weak_rank": None}
        assert single["first_weak_rank"] is None  # what is on a side is about the question
        assert {k: both[k] for k in both.keys() - APART} == {
            k: single[k] for k in single.keys() - APART
        }
    plain = search(client, question, **{**how, "sides": True, "k": 1, "page": 1})
    for name in {"total", "groups", "facets", "values", "balance"} & plain.keys():
        assert both[name] == plain[name]
    assert both["first_weak_rank"] is None


def test_other_forms_tell_the_sides_apart(client: TestClient) -> None:
    both = search(client, "school uniforms", side="both", k=3)
    how = {"q": "school uniforms", "side": "both", "k": 3}
    answer = client.get("/api/search", params={**how, "format": "csv"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    table = answer.text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(row["rank"], row["side"]) for row in rows] == [
        (str(hit["rank"]), hit["side"]["value"]) for hit in both["hits"]
    ]
    text = client.get("/api/search", params={**how, "format": "markdown"}).text
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## For",
        "## Against",
    ]
    bibtex = client.get("/api/search", params={**how, "format": "bibtex"}).text
    assert bibtex.count("@misc{") == len(both["hits"]) == 6
    one = client.get("/api/search", params={**how, "side": "for", "format": "csv"}).text
    assert not one.splitlines()[0].endswith("side")


def test_a_misspelt_question_says_what_its_sides_are_read_for(done, sample_index) -> None:
    with TestClient(create_app(sample_index)) as client:
        found, meant = (search(client, q, side="for") for q in (MISSPELT, MEANT))
    assert found["balance"]["question"] == found["suggestion"] == MEANT
    assert meant["balance"]["question"] is None
    assert f"sides refer to “{MEANT}”" in found["notes"]
    _, messages = done("search", MISSPELT, "--index", sample_index, "--side", "for")
    assert f"note: sides refer to “{MEANT}”" in messages


def test_a_question_without_sides_says_so(client: TestClient, done, awkward_index) -> None:
    note = "the question has no sides; ask whether something is good or should be done"
    answer = client.get("/api/search", params={"q": "How can we close zoos?", "sides": True}).json()
    balance = answer["balance"]
    assert balance["sided"] is False
    assert balance["counts"]["unclear"] == balance["read"] > 0
    assert note in answer["notes"]
    words = ("search", "How can we close zoos?", "--index", awkward_index, "--side", "both")
    _, messages = done(*words)
    assert f"note: {note}" in messages
    usual = client.get("/api/search", params={"q": "Should we close zoos?", "sides": True}).json()
    assert usual["balance"]["sided"] is True
    assert note not in usual["notes"]
