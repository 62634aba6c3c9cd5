"""Words chosen to lie in one place of the tokenizer's table: they do only where its salt is known.

Probes are counted, the steps from where the search for a term begins to where it ends.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from argsearch.indexer.analysis.batch import TokenBatch, numbered, tokenize
from argsearch.ranking.hashing import scattered

KNOWN = np.array([1, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)
"""A salt that an attacker would have guessed."""
SLOTS, WORDS = 1 << 15, 600
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)


def chosen(n: int, salt: NDArray[np.uint64]) -> list[str]:
    """n words of seven letters whose search begins in the same few slots under a salt."""
    rng, found = np.random.default_rng(3), []
    while len(found) < n:
        letters = LETTERS[rng.integers(26, size=(1 << 20, 7))]
        keys = np.zeros(len(letters), np.uint64)
        for column in letters.T:
            keys = keys << np.uint64(8) | column.astype(np.uint64)
        places = scattered.py_func(keys, salt) >> np.uint64(32) & np.uint64(SLOTS - 1)
        found += [bytes(word).decode() for word in letters[places < 8]]
    return found[:n]


def any_words(n: int) -> list[str]:
    """n words of seven letters."""
    letters = LETTERS[np.random.default_rng(4).integers(26, size=(n, 7))]
    return [bytes(word).decode() for word in letters]


def probes(text: str, salt: NDArray[np.uint64]) -> float:
    """Steps in the table for each distinct term of a text, on average."""
    keys = numbered([text], salt)[0].keys
    rows = np.flatnonzero(keys)
    homes = scattered.py_func(keys[rows], salt) >> np.uint64(32) & np.uint64(len(keys) - 1)
    return float(((rows - homes.astype(np.int64)) % len(keys)).mean())


@pytest.fixture(scope="module")
def attack() -> str:
    return " ".join(chosen(WORDS, KNOWN))


def unpacked(batch: TokenBatch) -> list[bytes]:
    return [batch.terms[i] for i in batch.ids]


@pytest.mark.thorough
def test_chosen_words_cost_what_others_do(attack: str) -> None:
    ordinary = " ".join(any_words(WORDS))
    assert probes(attack, KNOWN) > WORDS / 4, "the attack works where the salt is known"
    rng = np.random.default_rng(5)
    for _ in range(10):
        salt = rng.integers(1 << 63, size=3, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        assert probes(attack, salt) < 2 * probes(ordinary, KNOWN) + 0.05


def test_a_process_has_a_salt_of_its_own(attack: str) -> None:
    from argsearch.ranking.hashing import salts

    assert salts() is salts()
    assert not np.array_equal(salts(), KNOWN)
    assert (salts()[1:] % 2 == 1).all()
    assert probes(attack, salts()) < 0.2


def test_the_salt_decides_nothing_else(attack: str) -> None:
    """Numbers, order and terms are the same: the same corpus gives the same index."""
    texts = [attack, "Zoos, zoos and 'zoological' gardens", "antidisestablishmentarianism " * 3]
    one, other = (tokenize(texts, salt) for salt in (KNOWN, KNOWN * np.uint64(5)))
    assert one.terms == other.terms
    assert np.array_equal(one.ids, other.ids)
    assert unpacked(one)[: len(attack.split())] == [w.encode() for w in attack.split()]
