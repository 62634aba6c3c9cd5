"""Folding: against the plain form, and the laws that pages and totals keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.folding import fold, fold_plain


@st.composite
def candidates(draw):
    n = draw(st.integers(0, 25))
    scores = draw(st.lists(st.integers(-3, 3).map(float), min_size=n, max_size=n))
    groups = draw(st.lists(st.integers(-1, 6), min_size=n, max_size=n))
    return np.array(scores), np.array(draw(st.permutations(range(n))), int), np.array(groups, int)


def lists(folded):
    return [part.tolist() for part in np.split(folded.members, folded.starts[1:-1])][
        : len(folded.heads)
    ]


@given(given=candidates(), first=st.integers(0, 8), size=st.none() | st.integers(1, 8))
def test_a_page_is_what_the_plain_form_gives(given, first, size):
    folded = fold(*given, first, size)
    plain = fold_plain(*given, first, size)
    assert lists(folded) == plain
    assert folded.heads.tolist() == [members[0] for members in plain]
    assert folded.counts.tolist() == [len(members) for members in plain]
    assert folded.documents == len(given[0])
    assert folded.groups == len(fold_plain(*given))


@given(given=candidates(), size=st.integers(1, 5))
def test_pages_do_not_overlap_and_show_every_candidate_once(given, size):
    whole = fold(*given)
    pages = [fold(*given, first, size) for first in range(0, whole.groups, size)]
    heads = [head for page in pages for head in page.heads]
    members = [member for page in pages for member in page.members]
    assert heads == whole.heads.tolist()
    assert sorted(members) == list(range(len(given[0])))


@given(given=candidates())
def test_the_order_of_the_rest_is_unchanged(given):
    scores, ties, _ = given
    ranking = np.lexsort((ties, -scores)).tolist()
    heads = fold(*given).heads.tolist()
    assert heads == [place for place in ranking if place in heads]


@given(given=candidates(), m=st.integers(0, 25))
def test_heads_of_the_best_m_are_the_first_heads_of_all(given, m):
    scores, ties, groups = given
    best = np.lexsort((ties, -scores))[:m]
    heads = best[fold(scores[best], ties[best], groups[best]).heads]
    assert heads.tolist() == fold(*given).heads[: len(heads)].tolist()


@given(given=candidates())
def test_without_groups_nothing_folds(given):
    scores, ties, groups = given
    folded = fold(scores, ties, np.full_like(groups, -1))
    assert folded.heads.tolist() == np.lexsort((ties, -scores)).tolist()
    assert (folded.counts == 1).all()


def test_by_hand():
    scores, groups = [5.0, 9.0, 7.0, 9.0, 1.0], [2, 4, 2, 4, -1]
    folded = fold(scores, [0, 3, 2, 1, 4], groups, 0, 2)
    assert lists(folded) == [[3, 1], [2, 0]]
    assert (folded.documents, folded.groups) == (5, 3)


def test_one_group_of_many():
    n = 400_000
    folded = fold(np.arange(n, dtype=float), np.arange(n), np.zeros(n, int), 0, 10)
    assert folded.heads.tolist() == [n - 1]
    assert folded.counts.tolist() == [n]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1.0], [0, 1], [0]), "shapes"),
        (([np.nan], [0], [0]), "NaN"),
        (([1.0], [0], [0], -1), "first is -1"),
        (([1.0], [0], [0], 0, 0), "size 0"),
    ],
)
def test_what_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        fold(*arguments)
