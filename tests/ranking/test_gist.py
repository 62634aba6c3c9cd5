from __future__ import annotations

from dataclasses import astuple, fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from argsearch.ranking.gist import JOINT, GistWeights, Room, manners
from tests.ranking.plain_gist import (
    SentenceSigns,
    lead,
    manner,
    matched,
    select,
    standard,
    worth,
)

FLAGS = ("asked", "talk", "reference", "quoted", "person", "anaphora", "example")
BARRED = ("open", "announced", "opposed")
W = GistWeights()
finite = st.floats(-50, 50)


def plain(n: int = 1, **given) -> SentenceSigns:
    """n sentences of 18 words that nothing speaks for or against."""
    values = {field.name: np.zeros(n, bool) for field in fields(SentenceSigns)}
    values |= {"words": np.full(n, 18.0), "cues": np.zeros(n), "digits": np.zeros(n)}
    return SentenceSigns(**values | {name: np.asarray(value) for name, value in given.items()})


def test_a_standard_score_has_mean_0_and_deviation_1():
    np.testing.assert_allclose(standard([1, 2, 3]), [-(1.5**0.5), 0, 1.5**0.5])
    assert standard([4, 4]).tolist() == [0, 0]
    assert standard([]).tolist() == []


def test_a_plain_leading_sentence_is_worth_its_lead():
    assert manner(plain(), W).tolist() == [W.lead]


@pytest.mark.parametrize("flag", FLAGS)
def test_each_flag_takes_its_weight_off(flag):
    without_lead = replace(W, lead=0.0)
    value = manner(plain(2, **{flag: [False, True]}), without_lead)
    assert value.tolist() == [0.0, -getattr(W, flag)]


@pytest.mark.parametrize("flag", BARRED)
def test_what_does_not_speak_for_its_author_is_worth_nothing(flag):
    assert manner(plain(2, **{flag: [False, True]}), W).tolist() == [W.lead / 2, -np.inf]


def test_a_short_sentence_that_no_sign_ends_is_a_title():
    value = manner(plain(3, words=[18.0, 8.0, 9.0], unended=[False, True, True]), W)
    assert np.isneginf(value).tolist() == [False, True, False]


def test_where_no_sentence_is_sound_all_are_worth_nothing():
    assert np.isneginf(manner(plain(2, talk=[True, False], asked=[False, True]), W)).all()
    assert np.isfinite(manner(plain(2, talk=[True, False]), W)).all()


@given(arrays(np.int32, st.tuples(st.integers(0, 12), st.just(15)), elements=st.integers(0, 60)))
def test_the_kernel_of_manner_equals_the_plain_expression(counts):
    counts[:, 4:] %= 2
    words, cues, digits, characters = counts.T[:4]
    share = digits / np.maximum(characters, 1)
    flags = dict(zip((*FLAGS, *BARRED, "unended"), counts.T[4:] > 0, strict=True))
    plainly = manner(SentenceSigns(words.astype(float), cues.astype(float), share, **flags), W)
    found = manners(counts, np.arange(15), np.array(astuple(W)))
    np.testing.assert_allclose(found, plainly, rtol=1e-12, atol=1e-12)


def test_cues_count_up_to_three():
    value = manner(plain(4, cues=[0.0, 1.0, 3.0, 9.0]), replace(W, lead=0.0))
    np.testing.assert_allclose(value, np.array([0, 1 / 3, 1, 1]) * W.cues)


def test_fragments_run_on_sentences_and_digits_lose():
    value = manner(plain(3, words=[6.0, 46.0, 18.0], digits=[0, 0, 0.5]), replace(W, lead=0.0))
    wanted = [
        -W.short - W.length * np.log(6 / 18) ** 2,
        -W.long - W.length * np.log(46 / 18) ** 2,
        -W.digits / 2,
    ]
    np.testing.assert_allclose(value, wanted)


def test_debate_talk_does_not_take_the_first_place():
    np.testing.assert_allclose(
        lead(plain(4, talk=[True, False, False, False])), [0, 0.75, 0.375, 0.25]
    )


@given(arrays(float, 5, elements=finite), arrays(float, 5, elements=finite))
def test_more_of_the_questions_words_never_hurt(base, weight):
    G = matched(base, weight, W)
    order = np.argsort(weight)
    assert (np.diff((G - base)[order]) >= -1e-9).all()


def test_worth_adds_both_cosines_as_standard_scores():
    vectors, question = np.eye(2)[[0, 1, 1]], np.array([1.0, 0.0])
    centre = np.array([1, 2]) / 5**0.5
    wanted = W.question * standard([1, 0, 0]) + W.centrality * standard(vectors @ centre)
    np.testing.assert_allclose(worth(np.zeros(3), vectors, question, W), wanted)
    assert worth([1.0], np.zeros((1, 2)), question, W).tolist() == [1.0]


room = st.builds(Room, characters=st.integers(1, 300), sentences=st.integers(1, 4))
sizes = st.lists(st.tuples(finite, st.integers(1, 400)), min_size=1, max_size=12)


@given(sizes, room)
def test_a_selection_has_the_best_is_ordered_and_fits(sentences, room):
    G, lengths = (np.array(column) for column in zip(*sentences, strict=True))
    chosen = select(G, lengths, None, room)
    assert int(np.argmax(G)) in chosen
    assert (np.diff(chosen) > 0).all()
    assert len(chosen) <= min(room.sentences, 1 + int(lengths.sum()) // room.stretch)
    if len(chosen) > 1:
        assert lengths[chosen].sum() + JOINT * (len(chosen) - 1) <= room.characters
    assert (G[chosen] + room.near >= G.max() - room.margin).all()


def test_a_short_texts_gist_is_one_sentence():
    assert select([1.0, 1.0], [60, 60]).tolist() == [0]
    assert select([1.0, 1.0] + [-9.0] * 5, [60, 60] + [300] * 5).tolist() == [0, 1]


def test_the_sentence_that_goes_on_is_preferred_and_a_repetition_left_out():
    G, lengths = [2.0, 0.0, 1.0, -9.0], [50, 50, 50, 1600]
    pair = Room(sentences=2)
    assert select(G, lengths, None, pair).tolist() == [0, 1]
    alike = np.eye(4)
    alike[0, 1] = alike[1, 0] = 0.8
    assert select(G, lengths, alike, pair).tolist() == [0, 2]


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="allowed"):
        select([], [])
    with pytest.raises(ValueError, match="allowed"):
        select([1.0], [1, 2])
    with pytest.raises(ValueError, match="allowed"):
        select([1.0], [1], np.zeros((2, 2)))
    with pytest.raises(ValueError, match="allowed"):
        worth([0.0], np.zeros((2, 2)), np.zeros(2), W)
    with pytest.raises(ValueError, match="allowed"):
        plain(2, words=[1.0])
