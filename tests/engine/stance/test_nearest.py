"""Sides of a question in other words: for and against the conclusion nearest to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.backends.embedded import meaning
from argsearch.engine.backends.embedded.backend import EmbeddedBackend
from argsearch.engine.stance.claims import read_question
from argsearch.engine.stance.nearest import nearest_conclusion
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.settings import IndexSettings
from argsearch.ranking.vectors import quantise
from tests.conftest import SAMPLE
from tests.indexes import Built

ASKED = read_question("Should laboratories leave beagles in peace?")


@pytest.fixture(scope="module")
def engine(built: Built) -> Iterator[Engine]:
    with Engine.open(built(settings=IndexSettings(parts=("vectors",)))) as engine:
        yield engine


def _concluding(*conclusions: str | None) -> list[Argument]:
    premise = (Premise("It hurts.", Stance.PRO),)
    return [Argument(str(i), text, premise, {}) for i, text in enumerate(conclusions)]


def test_the_nearest_that_says_a_direction_and_is_on_the_question_is_taken():
    arguments = _concluding("Animals", None, "Animal testing should end", "Animal testing is good")
    near, on = np.array([9.0, 8.0, 3.0, 7.0]), [0.9, 0.9, 0.9, 0.4]
    assert nearest_conclusion(ASKED, arguments, near, on) == "Animal testing should end"
    assert nearest_conclusion(ASKED, arguments, near, [0.9, 0.9, 0.9, 0.5]) == (
        "Animal testing is good"
    )
    assert nearest_conclusion(ASKED, arguments, near, [0.9, 0.9, None, 0.4]) is None
    assert nearest_conclusion(ASKED, [], np.zeros(0), []) is None


def test_what_says_no_direction_is_never_what_sides_are_read_for():
    arguments = _concluding("How can animal testing be banned?", "Animal testing should end")
    near, on = np.array([9.0, 3.0]), [0.9, 0.9]
    assert nearest_conclusion(ASKED, arguments, near, on) == "Animal testing should end"
    assert nearest_conclusion(ASKED, arguments[:1], near[:1], on[:1]) is None
    for bare in ("beagles in laboratories", "laboratories leave beagles", ""):
        asked = read_question(bare)
        assert not asked.directed
        assert nearest_conclusion(asked, arguments, near, on) is None


def test_a_question_in_the_words_of_a_near_conclusion_keeps_its_own_direction():
    others = ["Animal testing should end", "Beagles should be left in peace by laboratories"]
    near = np.arange(7.0)[::-1]
    far = _concluding(*(f"Animal test {i} should end" for i in range(5)), others[0], others[1])
    assert nearest_conclusion(ASKED, _concluding(*others), near[:2], [0.9] * 2) is None
    assert nearest_conclusion(ASKED, far, near, [0.9] * 7) == "Animal test 0 should end"


QUESTION = "Is it right to hang a murderer?"


def test_what_is_near_is_read_where_words_leave_places_empty(engine: Engine):
    plain = engine.search(QUESTION, sides=True, overrides=["stance.near=false"])
    found = engine.search(QUESTION, sides=True)
    assert plain.sided is not None
    assert found.sided is not None
    assert found.sided.filled > plain.sided.filled
    assert found.sided.near
    assert not plain.sided.near
    assert found.hits.ids == plain.hits.ids
    assert "near by meaning" in " ".join(found.remarks)
    assert "near by meaning" not in " ".join(plain.remarks)


@pytest.fixture
def neural(built: Built, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Its vectors pass for those of a neural encoder."""
    monkeypatch.setattr(meaning, "parse_spec", lambda _: SimpleNamespace(light=False))
    with Engine.open(built(settings=IndexSettings(parts=("vectors",)))) as engine:
        yield engine


def test_by_static_vectors_a_question_keeps_its_own_direction(engine: Engine):
    found = engine.search(QUESTION, sides=True)
    assert found.sided is not None
    assert not found.sided.concluded
    assert found.sided_for is None


def test_the_conclusion_that_sides_are_read_for_is_said(neural: Engine):
    found = neural.search(QUESTION, sides=True)
    assert found.sided is not None
    assert found.sided.concluded
    stated = {neural.backend.store[doc].conclusion for doc in range(neural.info.documents)}
    assert found.sided_for in stated
    assert f"sides are read for “{found.sided_for}”, a conclusion near" in " ".join(found.remarks)
    named = neural.search(found.sided_for, sides=True)
    assert named.sided is not None
    assert not named.sided.concluded
    for side, other in (("for", "against"), ("against", "for")):
        assert not {*found.on(side).hits.ids} & {*named.on(other).hits.ids}
    assert found.sided.filled > 0
    kept = neural.search(QUESTION, sides=True, overrides=["stance.near=false"])
    assert kept.sided_for is None


@pytest.mark.parametrize("question", ["hanging murderers", "How can we hang a murderer?"])
def test_a_question_without_a_direction_or_sides_keeps_its_own(neural: Engine, question: str):
    found = neural.search(question, sides=True)
    assert found.sided is not None
    assert not found.sided.concluded


def test_near_arguments_are_none_where_no_conclusion_passes(tmp_path: Path):
    corpus = tmp_path / "corpus.jsonl"
    arguments = json.loads((SAMPLE / "arguments.json").read_text("utf-8"))["arguments"]
    for place, one in enumerate(arguments):
        one["conclusion"] = None if place % 10 == 0 else one["conclusion"]
        one["context"] = {"sourceDomain": "bare" if place % 10 == 0 else "told"}
    corpus.write_text("".join(json.dumps(one) + "\n" for one in arguments), "utf-8")
    out = tmp_path / "index"
    build(BuildRequest([str(corpus)], out, settings=IndexSettings(parts=("vectors",))))
    with Engine.open(out) as bare:
        found = bare.search("Is it right to hang a murderer?", sides=True, where=["source=bare"])
        assert found.sided is not None
        assert found.sided.balance.counts["unclear"] == found.total
        ranked = bare.search("school uniforms", config="meaning", where=["source=bare"])
        assert ranked.by_meaning == 0


@pytest.mark.parametrize("listed", [None, np.arange(0, 60, 2)])
def test_the_nearest_by_the_part_vectors_are_those_of_the_nearest_conclusions(
    engine: Engine, listed
):
    backend = engine.backend.contents
    assert isinstance(backend, EmbeddedBackend)
    assert not backend.has("meaning")
    encoder, documents = load_encoder("wordllama"), engine.info.documents
    texts = [backend.store[doc] for doc in range(documents)]
    asked, *rows = encoder.encode([QUESTION, *(one.conclusion or "" for one in texts)])
    levels = quantise(np.array(rows))[0].astype(np.float64)
    claim = levels @ asked / np.maximum(np.linalg.norm(levels, axis=1), 1e-9)
    known = backend.meaning.of(QUESTION, np.arange(documents))
    there = ~np.isnan(known["claim"])
    assert np.abs(known["claim"] - claim)[there].max() < 0.01
    assert not there[[one.conclusion is None for one in texts]].any()
    assert documents <= 1_000  # all of them are looked at
    among = np.flatnonzero(there) if listed is None else np.intersect1d(listed, np.nonzero(there))
    found = backend.meaning.nearest(QUESTION, 10, listed)
    best = among[np.argsort(-known["M"][among], kind="stable")][:10]
    assert set(found.tolist()) == set(best.tolist())
