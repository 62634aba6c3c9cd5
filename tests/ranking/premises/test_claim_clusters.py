"""Average-linkage clusters: SciPy's own where one piece holds all, and sound where it does not."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from argsearch.ranking.premises import clusters as clustering
from argsearch.ranking.premises.clusters import Cut, clusters, default_count, in_order
from tests.ranking.test_clustering import cloud


def pieces(X, limit, seed):
    return clustering.pieces(X, clustering.make_splits(X, limit, seed), limit, seed)


def same_partition(a, b):
    return in_order(np.asarray(a)).tolist() == in_order(np.asarray(b)).tolist()


@pytest.mark.thorough
@settings(max_examples=40)
@given(
    n=st.integers(2, 60),
    d=st.integers(1, 5),
    seed=st.integers(0, 1000),
    count=st.integers(1, 60),
    rounded=st.booleans(),
)
def test_clusters_are_scipys_in_one_piece(n, d, seed, count, rounded):
    X = cloud(n, d, seed)
    X = np.round(X) if rounded else X  # rounded rows repeat, and their distances tie
    tree = linkage(X.astype(np.float64), "average", "euclidean")
    found = clusters(X, Cut(count=count))
    assert found.dtype == np.int32
    assert same_partition(found, fcluster(tree, count, "maxclust"))
    for distance in (0.5, 50.0) if rounded else (0.5, 2.0, 50.0):  # of ties either may merge
        found = clusters(X, Cut(distance=distance))
        assert same_partition(found, fcluster(tree, distance, "distance"))


@pytest.mark.thorough
@settings(max_examples=20)
@given(n=st.integers(1, 400), seed=st.integers(0, 100), limit=st.integers(5, 60))
def test_pieces_share_out_the_rows(n, seed, limit):
    X = np.round(cloud(n, 3, seed))
    parts = pieces(X, limit, seed)
    assert np.concatenate(parts).tolist() != [] or n == 0
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))
    assert max(map(len, parts)) <= limit
    assert [int(part[0]) for part in parts] == sorted(int(part[0]) for part in parts)
    assert all((np.diff(part) > 0).all() for part in parts)
    assert len(parts) == 1 or n > limit


@pytest.mark.thorough
def test_many_pieces_share_the_count_and_the_distance():
    X = cloud(1500, 4, 1, centres=30)
    parts = pieces(X, 200, 0)
    labels = clusters(X, Cut(count=300), limit=200)
    near = clusters(X, Cut(distance=1.5), limit=200)
    assert len(parts) > 1
    assert labels.max() + 1 == 300
    assert labels.tolist() == in_order(labels.astype(np.int64)).tolist()
    for part in parts:
        tree = linkage(X[part].astype(float), "average", "euclidean")
        share = len(set(labels[part].tolist()))
        assert abs(share - 300 * len(part) / 1500) <= 1
        assert same_partition(labels[part], fcluster(tree, share, "maxclust"))
        assert same_partition(near[part], fcluster(tree, 1.5, "distance"))
        elsewhere = np.setdiff1d(np.arange(1500), part)
        assert not set(labels[part].tolist()) & set(labels[elsewhere].tolist())


def test_fewer_clusters_than_pieces_are_not_to_be_had():
    X = cloud(300, 4, 1)
    assert clusters(X, Cut(count=1), limit=100).max() + 1 == len(pieces(X, 100, 0))


def test_equal_rows_beyond_a_piece_end_and_are_told_as_alike():
    X = np.tile(np.array([[0.6, 0.8]], np.float32), (500, 1))
    labels = clusters(X, Cut(distance=0.1), limit=100)
    assert np.bincount(labels).tolist() == [100] * 5
    assert clusters(X, Cut(distance=0.1)).tolist() == [0] * 500


def test_alike_rows_are_told_in_less_room_than_their_distances():
    X = np.tile(np.array([[0.6, 0.8]], np.float32), (4000, 1))
    tracemalloc.start()
    groups = clustering._within_reach(X, 0.1)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert set(groups.tolist()) == {0}
    assert most < 8 * 4000 * 3999 / 2


def test_no_row_and_one_row():
    assert clusters(np.zeros((0, 4), np.float32), Cut(count=3)).tolist() == []
    assert clusters(np.ones((1, 4), np.float32), Cut(count=3)).tolist() == [0]


def test_the_default_count_is_the_papers_mean_size():
    # 72,125 claims in 13,031 clusters; 70,314 clusters of premises, 5.51 in the mean (D20).
    assert default_count(72_125) == pytest.approx(13_031, rel=0.01)
    assert default_count(round(5.51 * 70_314)) == pytest.approx(70_314, rel=0.01)
    assert default_count(0) == default_count(3) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: clusters(np.full((2, 2), np.nan, np.float32), Cut(count=1)), "X must be finite"),
        (lambda: clusters(np.ones((2, 2), np.float32), Cut(count=1), limit=1), "limit at least 2"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_splits_stay_as_they_are_where_rows_come():
    X = cloud(600, 4, 3, centres=20)
    splits = clustering.make_splits(X[:500], 100)
    few, all_ = (clustering.pieces(part, splits, 100) for part in (X[:500], X))
    piece = {int(row): number for number, rows in enumerate(all_) for row in rows}
    whole = [rows for rows in few if len({piece[int(row)] for row in rows}) == 1]
    assert len(splits.numbers) > 5
    assert len(whole) > len(few) // 2  # all but those that are too large with what came
    assert max(map(len, all_)) <= 100


def test_the_first_split_has_the_pieces_and_the_best_of_the_starts_that_were_asked_for():
    X = cloud(300, 4, 5, centres=9)

    def spread(starts):
        splits = clustering.make_splits(X, seed=1, first=4, starts=starts)
        assert splits.numbers.tolist() == [[0, -1]] * 4
        return float((((X[:, None] - splits.centroids) ** 2).sum(axis=2)).min(axis=1).sum())

    assert spread(25) <= spread(1)
    splits = clustering.make_splits(X, first=4, starts=25)
    labels = clusters(X, Cut(count=20), splits=splits)
    parts = clustering.pieces(X, splits)
    assert len(parts) == 4
    assert sum(len(set(labels[rows].tolist())) for rows in parts) == len(set(labels.tolist()))
    smaller = clustering.make_splits(X, 50, first=4)
    assert max(map(len, clustering.pieces(X, smaller, 50))) <= 50
