"""Arguments near a question by the part `vectors`, and their sides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.settings import IndexSettings
from argsearch.ranking.vectors import quantise
from tests.conftest import SAMPLE
from tests.indexes import Built, indexed


@pytest.fixture(scope="module")
def engine(built: Built) -> Iterator[Engine]:
    with Engine.open(built(settings=IndexSettings(parts=("vectors",)))) as engine:
        yield engine


QUESTION = "Is it right to hang a murderer?"


def test_what_is_near_is_read_where_words_leave_places_empty(engine: Engine):
    plain = engine.search(QUESTION, sides=True, overrides=["stance.near=false"])
    found = engine.search(QUESTION, sides=True)
    assert found.sided.filled > plain.sided.filled
    assert found.sided.near
    assert not plain.sided.near
    assert found.hits.ids == plain.hits.ids
    assert "found by meaning as well" in " ".join(found.remarks)
    assert "found by meaning as well" not in " ".join(plain.remarks)


def test_near_arguments_are_none_where_no_conclusion_passes(tmp_path: Path):
    arguments = json.loads((SAMPLE / "arguments.json").read_text("utf-8"))["arguments"]
    for place, one in enumerate(arguments):
        one["conclusion"] = None if place % 10 == 0 else one["conclusion"]
        one["context"] = {"sourceDomain": "bare" if place % 10 == 0 else "told"}
    with Engine.open(indexed(tmp_path, arguments, IndexSettings(parts=("vectors",)))) as bare:
        found = bare.search(QUESTION, sides=True, where=["source=bare"])
        assert found.sided.balance.counts["unclear"] == found.total
        ranked = bare.search("school uniforms", config="meaning", where=["source=bare"])
        assert ranked.by_meaning == 0


@pytest.mark.parametrize("listed", [None, np.arange(0, 60, 2)])
def test_the_nearest_by_the_part_vectors_are_those_of_the_nearest_conclusions(
    engine: Engine, listed
):
    backend = engine.backend.contents
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


def test_arguments_near_a_question_without_its_subject_fill_no_places(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    found = engine.search("Is it right to declaw a murderer?", sides=True).sided
    assert found.near
    assert not found.lacks_subject, "a conclusion has a word of the subject"
    monkeypatch.setattr("argsearch.engine.stance.sides.SURELY_ON_QUESTION", 2.0)
    monkeypatch.setattr(
        "argsearch.engine.stance.sides._having",
        lambda words, texts: np.zeros((len(texts), len(words)), np.bool_),
    )
    again = engine.search("Is it right to declaw a murderer so often?", sides=True, side="both")
    assert again.little
    assert "little was found" in again.remarks[0]
