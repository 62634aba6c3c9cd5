"""What is done to texts and labels before quality models are measured on them."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from studies.quality_biases import ARTICLES, PREPOSITIONS, careless, confused, misspelt, without
from studies.quality_ceiling import halves

TEXT = "The Zoo is a prison. In the end an animal dies of boredom! Who would look at that?"


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("change", [misspelt, without(ARTICLES), confused, careless])
def test_a_share_of_nothing_changes_nothing(change, rng):
    assert change(TEXT, 0.0, rng) == TEXT


def test_two_inner_letters_change_places(rng):
    changed = misspelt(TEXT, 1.0, rng)
    for word, other in zip(re.findall(r"\w+", TEXT), re.findall(r"\w+", changed), strict=True):
        assert sorted(word) == sorted(other)
        assert (word[0], word[-1]) == (other[0], other[-1])
        differing = [i for i, letter in enumerate(word) if letter != other[i]]
        assert len(word) >= 4 or not differing
        assert not differing or differing == [differing[0], differing[0] + 1]
    assert changed != TEXT


def test_articles_are_left_out(rng):
    assert without(ARTICLES)("a cat and the dog saw an ant", 1.0, rng) == "cat and dog saw ant"


def test_prepositions_are_taken_for_others(rng):
    words, changed = TEXT.split(), confused(TEXT, 1.0, rng).split()
    moved = {a: b for a, b in zip(words, changed, strict=True) if a != b}
    assert set(moved) == {"of", "at"}
    assert set(moved.values()) <= set(PREPOSITIONS)


def test_sentences_begin_small(rng):
    small = "the Zoo is a prison. in the end an animal dies of boredom! who would look at that?"
    assert careless(TEXT, 1.0, rng) == small


def test_a_share_is_a_share(rng):
    changed = careless("Yes. " * 2000, 0.2, rng)
    assert changed.count("yes") == pytest.approx(400, abs=60)


def test_halves_use_every_comparison_once(monkeypatch):
    judged = SimpleNamespace(texts=["a", "b", "c"], is_argument=np.array([True, True, False]))
    votes = np.arange(30).reshape(10, 3)
    seen = []

    def counted(some, items):
        seen.append(some)
        return np.full(items, float(len(some)))

    monkeypatch.setattr("studies.quality_ceiling.scores", counted)
    one, other = halves(judged, [votes, votes[:7]], 3)
    assert one.tolist() == [4.5, 4.5]  # of two dimensions, halves of 5 and 4, for arguments alone
    assert other.tolist() == [4.0, 4.0]
    assert sorted(map(tuple, np.vstack(seen[:2]))) == sorted(map(tuple, votes))
    assert sorted(map(tuple, np.vstack(seen[2:]))) == sorted(map(tuple, votes[:7]))


def test_halves_of_clear_comparisons_agree():
    strength = np.linspace(-2.0, 2.0, 8)
    pairs = np.array([(a, b) for a in range(8) for b in range(8) if a != b])
    rng = np.random.default_rng(1)
    rows = []
    for a, b in np.repeat(pairs, 40, axis=0):
        won = rng.random() < 1.0 / (1.0 + np.exp(strength[b] - strength[a]))
        rows.append((a, b, 1 if won else -1))
    judged = SimpleNamespace(texts=["t"] * 8, is_argument=np.ones(8, bool))
    one, other = halves(judged, [np.array(rows)], 2)
    assert np.corrcoef(one, other)[0, 1] > 0.97
    assert np.corrcoef(one, strength)[0, 1] > 0.97
