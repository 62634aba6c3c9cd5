"""k-means: what a partition must satisfy, and that its bytes do not depend on threads."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from argsearch.ranking.clustering import cluster_count, kmeans, seed_centroids


def cloud(n, d, seed, centres=5):
    rng = np.random.default_rng(seed)
    middles = rng.normal(0, 4, (centres, d))
    rows = middles[rng.integers(0, centres, n)] + rng.normal(0, 1, (n, d))
    return rows.astype(np.float32)


def squared_distances(X, C):
    return ((X[:, None, :].astype(np.float64) - C[None, :, :]) ** 2).sum(axis=2)


@pytest.mark.thorough
@settings(max_examples=30)
@given(
    n=st.integers(1, 60),
    d=st.integers(1, 6),
    k=st.integers(1, 12),
    seed=st.integers(0, 1000),
    weighted=st.booleans(),
)
def test_result_is_a_fixed_point_of_lloyd(n, d, k, seed, weighted):
    X = np.round(cloud(n, d, seed), 1)
    rng = np.random.default_rng(seed)
    w = rng.integers(1, 9, n).astype(np.float32) if weighted else None
    found = kmeans(X, k, w, seed)
    weights = np.ones(n) if w is None else w
    assert found.centroids.dtype == np.float32
    assert found.labels.dtype == np.int32
    assert len(found.centroids) == min(k, len(np.unique(X, axis=0)))
    distances = squared_distances(X, found.centroids)
    own = distances[np.arange(n), found.labels]
    np.testing.assert_allclose(own, distances.min(axis=1), rtol=1e-3, atol=1e-3)
    assert found.inertia == pytest.approx(float(weights @ own), rel=1e-3, abs=1e-3)
    for cluster in set(found.labels.tolist()):
        members = found.labels == cluster
        mean = np.average(X[members].astype(np.float64), axis=0, weights=weights[members])
        np.testing.assert_allclose(found.centroids[cluster], mean, atol=1e-3)


@pytest.mark.thorough
def test_as_good_as_scikit_learn_from_its_own_seeds():
    X = cloud(1500, 16, 3, centres=40)
    ours = [kmeans(X, 40, None, seed).inertia for seed in range(5)]
    theirs = [
        KMeans(40, n_init=1, random_state=seed, init="k-means++").fit(X).inertia_
        for seed in range(5)
    ]
    assert np.mean(ours) <= 1.03 * np.mean(theirs)


def test_seeds_prefer_heavy_mass():
    X = cloud(200, 4, 1)
    heavy = np.ones(200, np.float32)
    heavy[7] = 1e9
    first = [seed_centroids(X, 1, heavy, np.random.default_rng(s))[0] for s in range(5)]
    assert all(np.array_equal(row, X[7]) for row in first)


def test_one_row_and_no_row():
    one = kmeans(np.array([[1, 2, 3]], np.float32), 300, None, 0)
    assert one.centroids.tolist() == [[1, 2, 3]]
    assert one.labels.tolist() == [0]
    none = kmeans(np.zeros((0, 3), np.float32), 300, None, 0)
    assert none.centroids.shape == (0, 3)
    assert none.labels.shape == (0,)


def test_seed_changes_the_partition_and_fixes_it():
    X = cloud(400, 8, 5, centres=50)
    first, again, other = kmeans(X, 30, None, 0), kmeans(X, 30, None, 0), kmeans(X, 30, None, 1)
    assert first.centroids.tobytes() == again.centroids.tobytes()
    assert first.centroids.tobytes() != other.centroids.tobytes()


KMEANS = """
from argsearch.ranking.clustering import kmeans
w = np.random.default_rng(1).integers(1, 50, 4000).astype(np.float32)
found = kmeans(X, 60, w, 0)
print(hashlib.sha256(found.centroids.tobytes() + found.labels.tobytes()).hexdigest())
"""
LINKAGE = """
from argsearch.ranking.premises.clusters import Cut, clusters
labels = clusters(X[:3000, :32], Cut(count=500), limit=700, workers=threads)
print(hashlib.sha256(labels.tobytes()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("code", [KMEANS, LINKAGE], ids=["k-means", "average linkage"])
def test_same_bytes_with_one_and_two_threads_in_other_processes(code):
    digests = set()
    for threads in ("1", "2"):
        script = (
            f"import hashlib, numpy as np\nthreads = {threads}\n"
            "X = np.random.default_rng(0).normal(size=(4000, 64)).astype(np.float32)\n"
        )
        environment = os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        digests.add(subprocess.check_output([sys.executable, "-c", script + code], env=environment))
    assert len(digests) == 1


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="contains NaN"):
        kmeans(np.array([[np.nan], [1.0]], np.float32), 1, None, 0)


@pytest.mark.parametrize(
    ("arguments", "distinct", "k", "expected"),
    [
        (0, 0, 300, 0),
        (1, 1, 300, 1),
        (30, 4, 300, 4),
        (321, 74, 300, 20),
        (5_656, 2_613, 300, 60),
        (5_656, 2_613, 25, 25),
        (10_725, 3_737, 300, 77),
        (387_740, 64_633, 300, 300),
        (390_704, 11_643, 300, 300),
        (390_704, 11_643, 1_000, 1_000),
        (390_704, 120, 300, 120),
    ],
)
def test_cluster_count(arguments, distinct, k, expected):
    assert cluster_count(arguments, distinct, k) == expected


@given(n=st.integers(1, 10**6), share=st.floats(0, 1), k=st.integers(1, 65_000))
def test_cluster_count_is_possible_and_grows_with_the_corpus(n, share, k):
    distinct = max(1, int(n * share))
    count = cluster_count(n, distinct, k)
    assert 1 <= count <= min(k, distinct)
    assert cluster_count(2 * n, 2 * distinct, k) >= count
