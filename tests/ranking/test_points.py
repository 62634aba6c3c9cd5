"""Key points: features held to plain expressions, the greedy choice to a plain one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.points import (
    LEAST_WEIGHT,
    POINT_FEATURES,
    QUESTION_WEIGHT,
    Limits,
    SentenceNumbers,
    choose,
    features,
    nearness_elsewhere,
    turn,
)

AT = {name: number for number, name in enumerate(POINT_FEATURES)}


def made(
    seed: int, sentences: int, words: int = 12, dimensions: int = 6
) -> tuple[SentenceNumbers, np.ndarray]:
    """Sentences of drawn words, some of the same root, one sentence without any."""
    draw = np.random.default_rng(seed)

    def unit(n: int) -> np.ndarray:
        rows = draw.normal(size=(n, dimensions)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    texts = [draw.choice(words, draw.integers(0, 6), replace=False) for _ in range(sentences)]
    shares, roots = draw.uniform(0.5, 2.0, sentences), draw.integers(0, words - 2, words)
    return SentenceNumbers(
        vectors=unit(sentences),
        begins=np.cumsum([0, *map(len, texts)]),
        words=np.concatenate(texts).astype(np.int64),
        roots=roots,
        rarity=draw.uniform(1.0, 9.0, words),
        asked=roots % 3 == 0,
        meanings=unit(words),
        shares=shares / shares.sum(),
    ), unit(1)[0]


def of(said: SentenceNumbers, s: int) -> list[int]:
    return said.words[said.begins[s] : said.begins[s + 1]].tolist()


@pytest.mark.thorough
@given(st.integers(0, 200))
def test_like_words_are_the_mean_of_the_nearest(seed):
    said, question = made(seed, 5)
    x = features(said, question, np.array([1, 3]))
    directions = np.array([1, -1, -1, 1, 1])
    turn(x, directions, np.array([1, 3]))
    weights = np.maximum(said.rarity * np.where(said.asked, QUESTION_WEIGHT, 1.0), LEAST_WEIGHT)
    for i, point in enumerate((1, 3)):
        for s in range(5):
            mine, its = of(said, point), of(said, s)
            shares = [
                sum(
                    weights[a] * max(said.meanings[a] @ said.meanings[b] for b in there)
                    for a in here
                )
                / sum(weights[a] for a in here)
                if here and there
                else 0.0
                for here, there in ((mine, its), (its, mine))
            ]
            got = x[i, s, [AT["like words of the point"], AT["like words of the quote"]]]
            assert got == pytest.approx(shares, abs=1e-5)
            assert x[i, s, AT["like words of both"]] == min(got)
            assert x[i, s, AT["turned round"]] == (directions[point] != directions[s])


@pytest.mark.thorough
@given(st.integers(0, 200))
def test_words_in_common_are_shares_of_roots(seed):
    said, question = made(seed, 6)
    x = features(said, question, np.arange(6))
    df: dict[int, float] = {}
    for s in range(6):
        for word in of(said, s):
            df[said.roots[word]] = df.get(said.roots[word], 0.0) + 6 * said.shares[s]
    asked = {said.roots[word] for word in range(12) if said.asked[word]}

    def weight(root: int) -> float:
        return max(
            math.log(7 / (df[root] + 0.5)) * (QUESTION_WEIGHT if root in asked else 1.0),
            LEAST_WEIGHT,
        )

    roots = [{said.roots[word] for word in of(said, s)} for s in range(6)]
    for point in range(6):
        for s in range(6):
            whole, common = (
                sum(map(weight, some)) for some in (roots[point], roots[point] & roots[s])
            )
            share = common / whole if whole else 0.0
            assert x[point, s, AT["words of the point"]] == pytest.approx(share)
            assert x[point, s, AT["words in common"]] == pytest.approx(math.log1p(common))


@pytest.mark.thorough
@given(st.integers(0, 200))
def test_nearness_is_the_deviation_from_the_side(seed):
    said, question = made(seed, 7)
    x = features(said, question, np.arange(7))
    V = said.vectors.astype(np.float64)
    centred = V - said.shares @ V
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    near = centred @ centred.T
    assert x[..., AT["cosine on the side"]] == pytest.approx(near)
    assert x[..., AT["cosine"]] == pytest.approx(V @ V.T)
    beside = V - np.outer(V @ question, question.astype(float))
    beside /= np.linalg.norm(beside, axis=1, keepdims=True)
    assert x[..., AT["cosine beside the question"]] == pytest.approx(beside @ beside.T, abs=1e-6)
    both = beside - said.shares @ beside
    both /= np.linalg.norm(both, axis=1, keepdims=True)
    assert x[..., AT["cosine beside question and side"]] == pytest.approx(both @ both.T, abs=1e-6)
    mean = near @ said.shares
    spread = np.sqrt(np.maximum((near - mean[:, None]) ** 2 @ said.shares, 1e-9))
    assert x[..., AT["nearness to the point"]] == pytest.approx(
        (near - mean[:, None]) / spread[:, None], abs=1e-4
    )
    assert x[..., AT["nearness to the quote"]] == pytest.approx((near - mean) / spread, abs=1e-4)


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    of = np.sort(draw.integers(0, 6, 14))
    candidates = np.sort(draw.choice(14, 8, replace=False))
    return draw.uniform(size=(8, 14)) ** 0.5, candidates, of, draw.uniform(0.1, 1.0, 8)


@given(st.integers(0, 400))
def test_what_is_chosen_is_told_apart_and_quoted_once_an_argument(seed):
    P, candidates, of, worths = drawn(seed)
    limits = Limits(same=0.8, apart=0.85, fewest=2, most=3)
    found = choose(P, candidates, of, worths, limits)
    rows = [candidates.tolist().index(point) for point in found.points]
    assert len(rows) <= 3
    taken: list[int] = []
    for row, point, quotes in zip(rows, found.points, found.quotes, strict=True):
        assert len(quotes) >= 2
        assert quotes[0] == point
        assert len(set(of[quotes])) == len(quotes)
        assert all(P[row, s] >= 0.8 for s in quotes[1:])
        taken += quotes.tolist()
        for other in set(rows) - {row}:
            assert P[row, candidates[other]] < 0.85
    assert len(set(taken)) == len(taken)
    assert [len(quotes) for quotes in found.quotes] == sorted(map(len, found.quotes), reverse=True)


def test_the_first_choice_covers_the_most():
    P = np.array([[0.0, 0.9, 0.9, 0.9], [0.0, 0.0, 0.9, 0.0]])
    found = choose(P, np.array([0, 1]), np.arange(4), np.ones(2), Limits(same=0.8))
    assert found.points.tolist() == [0]
    assert found.quotes[0].tolist() == [0, 1, 2, 3]
    modest = choose(P, np.array([0, 1]), np.arange(4), np.array([0.1, 1.0]), Limits(same=0.8))
    assert 1 in modest.points.tolist()


def test_an_argument_is_quoted_again_only_where_it_is_surer():
    """Argument 2 says the first point surely, and by another sentence the second, less so."""
    P = np.array([[0.0, 0.0, 0.9, 0.0, 0.0], [0.0, 0.0, 0.0, 0.6, 0.9]])
    of = np.array([0, 1, 2, 2, 3])
    limits = Limits(same=0.5, again=0.7)
    found = choose(P, np.array([0, 1]), of, np.ones(2), limits)
    assert [quotes.tolist() for quotes in found.quotes] == [[1, 4], [0, 2]]
    found = choose(P, np.array([0, 1]), of, np.ones(2), Limits(same=0.5, again=0.6))
    assert [quotes.tolist() for quotes in found.quotes] == [[1, 4, 3], [0, 2]]


def test_what_is_surer_is_chosen_before_what_is_said_by_more():
    P = np.array([[0.0, 0.3, 0.6, 0.6, 0.6], [0.3, 0.0, 0.99, 0.0, 0.0]])  # one point, two wordings
    found = choose(P, np.array([0, 1]), np.arange(5), np.ones(2), Limits(same=0.5))
    assert found.points.tolist() == [1]


def test_a_quote_goes_to_a_shown_point_where_its_surest_is_not_shown():
    """Sentence 3 says what sentence 1 says most surely, which too few say to be shown."""
    P = np.array([[0.0, 0.0, 0.9, 0.6], [0.0, 0.0, 0.0, 0.95]])
    limits = Limits(same=0.5, most=1)
    found = choose(P, np.array([0, 1]), np.arange(4), np.ones(2), limits)
    assert [quotes.tolist() for quotes in found.quotes] == [[0, 2, 3]]


@pytest.mark.thorough
@given(st.integers(0, 200))
def test_nearness_elsewhere_is_the_largest_cosine_with_another_argument(seed):
    said, _ = made(seed, 7)
    of = np.sort(np.random.default_rng(seed).integers(0, 4, 7))
    V = said.vectors.astype(np.float64)
    V -= said.shares @ V
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    near = nearness_elsewhere(said, of)
    for s in range(7):
        others = V[of != of[s]]
        assert near[s] == pytest.approx((others @ V[s]).max(initial=-1.0), abs=1e-5)
