"""D20 over random corpora, against its formulas read over Python sets."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product as combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.ranking.premises.claim_premise import (
    FAMILIES,
    LINKS_EXPLAINED,
    LinkCounts,
    Method,
    RetrievedClaims,
    explain,
    p_claim,
    rank,
    representatives,
    weigh,
)
from argsearch.ranking.premises.counts import CON, PRO, Links, dcf_by_score, icf, pf, served

NAMES = ("cogency", "reasonableness", "effectiveness")
METHODS = [
    Method(family, dimensions, normalise)
    for family in FAMILIES
    for dimensions in ([()] if family == "pficf" else [(0,), (1,), (2,), (0, 1, 2)])
    for normalise in (False, True)
]


def numbered(labels):
    """Labels as cluster numbers without gaps."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


@st.composite
def corpora(draw):
    """(triples, gamma, pi, scores[3, premises]); scores tie often."""
    claims, premises = draw(st.integers(1, 6)), draw(st.integers(1, 10))
    triple = st.tuples(st.integers(0, claims - 1), st.integers(0, 1), st.integers(0, premises - 1))
    triples = draw(st.sets(triple, max_size=30))
    gamma = numbered(draw(st.lists(st.integers(0, 3), min_size=claims, max_size=claims)))
    pi = numbered(draw(st.lists(st.integers(0, 4), min_size=premises, max_size=premises)))
    values = draw(st.lists(st.integers(0, 3), min_size=3 * premises, max_size=3 * premises))
    return triples, gamma, pi, np.array(values, float).reshape(3, premises)


def links_of(triples, gamma, pi):
    rows = np.array(sorted(triples), np.int64).reshape(-1, 3)
    return Links(rows[:, 0], rows[:, 1], rows[:, 2], gamma, pi)


def scoring_of(corpus):
    triples, gamma, pi, scores = corpus
    links = links_of(triples, gamma, pi)
    wins = [dcf_by_score(of[links.premise], links.starts) for of in scores]
    counted = (pf(links), served(links), links.gamma)
    return LinkCounts(links.starts, links.premise, pi, *counted, np.array(wins).reshape(3, -1))


def pf_plain(link, links, gamma, pi):
    """pf(p, c) = |{(p′, c′) : p′ ∈ π(p), c′ ∈ γ(c), p′ → c′}|   (D20).

    gamma: each claim's cluster; pi: each premise's. The arrow is the stance of the link: attacking
    premises are counted among attacks.
    """
    c, stance, p = link
    return sum(
        gamma[c_] == gamma[c] and pi[p_] == pi[p] for c_, stance_, p_ in links if stance_ == stance
    )


def icf_plain(link, links, gamma, pi):
    """icf(p) = ln(|Γ| / |{γ : some p′ ∈ π(p) supports a claim of γ}|)   (D20)."""
    _, stance, p = link
    served = {gamma[c_] for c_, stance_, p_ in links if stance_ == stance and pi[p_] == pi[p]}
    return math.log(len(set(gamma)) / len(served))


def dcf_plain(premises, beats):
    """dcf(p, c, d) = |{p′ : p′ of c's premises of p's stance, p beats p′ on d}|   (D20).

    premises: those of one claim and one stance. Any classifier will do; it need not be
    transitive, nor decide for either side.
    """
    return [sum(p != other and beats(p, other) for other in premises) for p in premises]


@given(corpus=corpora())
def test_pf_and_icf_are_those_over_sets(corpus):
    triples, gamma, pi, _ = corpus
    links = links_of(triples, gamma, pi)
    expected = [pf_plain(t, triples, gamma, pi) for t in sorted(triples)]
    assert pf(links).tolist() == expected
    found = icf(links.gamma, served(links)[links.stance, pi[links.premise]])
    plain = [icf_plain(t, triples, gamma, pi) for t in sorted(triples)]
    np.testing.assert_allclose(found, np.array(plain), atol=1e-12)


@given(corpus=corpora())
def test_dcf_of_scores_is_that_over_sets(corpus):
    triples, gamma, pi, scores = corpus
    links = links_of(triples, gamma, pi)
    for of in scores:
        expected = []
        for c, s in combinations(range(len(gamma)), (PRO, CON)):
            group = sorted(p for c_, s_, p in triples if (c_, s_) == (c, s))
            expected += dcf_plain(group, lambda a, b, of=of: of[a] > of[b])
        assert dcf_by_score(of[links.premise], links.starts).tolist() == expected


def test_dcf_of_a_large_group():
    scores = np.random.default_rng(0).integers(0, 50, 400).astype(float)
    found = dcf_by_score(scores, np.array([0, 400]))
    assert found.tolist() == [int((scores < s).sum()) for s in scores]


def naive(corpus, retrieved, method):
    """P(π|q,Δ) by (cluster, stance), straight from the paper's sums."""
    triples, gamma, pi, scores = corpus
    total = sum(retrieved.values())
    answer = defaultdict(float)
    for c, s in combinations(retrieved, (PRO, CON)):
        group = [t for t in sorted(triples) if t[:2] == (c, s)]
        if not group:
            continue
        P_pficf = normal(
            [pf_plain(t, triples, gamma, pi) * icf_plain(t, triples, gamma, pi) for t in group]
        )
        P = [1.0] * len(group)
        for d in method.dimensions:
            lost = dcf_plain([t[2] for t in group], lambda a, b, d=d: scores[d][a] > scores[d][b])
            P = [x * y for x, y in zip(P, normal([1 + n for n in lost]), strict=True)]
        if method.normalise:
            P = normal(P)
        if method.family == "average":
            P = [(x + y) / 2 for x, y in zip(P_pficf, P, strict=True)]
        elif method.family == "product":
            P = [x * y for x, y in zip(P_pficf, P, strict=True)]
            P = normal(P) if method.normalise else P
        elif method.family == "pficf":
            P = P_pficf
        share = retrieved[c] / total if total else 1 / len(retrieved)
        for t, value in zip(group, P, strict=True):
            answer[int(pi[t[2]]), s] += share * value
    return dict(answer)


def keys(ranked):
    return list(zip(ranked.cluster.tolist(), ranked.stance.tolist(), strict=True))


def normal(values):
    total = sum(values)
    return [v / total if total > 0 else 1 / len(values) for v in values]


@pytest.mark.thorough
@settings(max_examples=60)
@given(corpus=corpora(), data=st.data(), method=st.sampled_from(METHODS))
def test_the_answer_is_that_over_sets(corpus, data, method):
    index = scoring_of(corpus)
    claims = data.draw(st.lists(st.integers(0, len(corpus[1]) - 1), unique=True))
    scores = [data.draw(st.integers(0, 9)) / 2 for _ in claims]
    asked = np.array(claims, np.int64)
    weighed = weigh(index, asked, p_claim(scores), method)
    ranked = rank(weighed)
    expected = naive(corpus, dict(zip(claims, scores, strict=True)), method)
    found = dict(zip(keys(ranked), ranked.score.tolist(), strict=True))
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=1e-12)
        tree = explain(index, RetrievedClaims(asked, np.array(scores, float), method, NAMES), *key)
        assert tree.value == pytest.approx(value, abs=1e-12)
        assert tree.value == pytest.approx(sum(part.value for part in tree.details))
    assert (np.diff(ranked.score) <= 0).all()
    assert (ranked.where(ranked.stance == PRO).stance == PRO).all()
    assert len(ranked.where(ranked.stance == PRO).cluster) + len(
        ranked.where(ranked.stance == CON).cluster
    ) == len(ranked.cluster)


@pytest.mark.thorough
@settings(max_examples=60)
@given(corpus=corpora(), method=st.sampled_from(METHODS))
def test_probabilities_sum_to_one_where_the_paper_says_so(corpus, method):
    index = scoring_of(corpus)
    claims = np.arange(len(corpus[1]))
    weighed = weigh(index, claims, np.ones(len(claims)), method)
    for claim, stance in combinations(claims, (PRO, CON)):
        own = (weighed.claim == claim) & (weighed.stance == stance)
        if not own.any():
            continue
        total = weighed.parts[own].sum()
        single = len(method.dimensions) <= 1 and method.family != "product"
        if single or method.normalise:
            assert total == pytest.approx(1.0)
        else:
            assert 0 < total <= 1 + 1e-12


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_claims_share_one(scores):
    assert p_claim(scores).sum() == pytest.approx(1.0)


def test_1867_premises_in_one_cluster():
    n = 1867
    triples = {(0, PRO, p) for p in range(n)}
    scores = np.tile(np.arange(n, dtype=float), (3, 1))
    index = scoring_of((triples, np.zeros(1, np.int64), np.zeros(n, np.int64), scores))
    assert index.pf.tolist() == [n] * n
    asked = RetrievedClaims(np.array([0]), np.array([1.0]), Method("plain", (0, 1, 2)), NAMES)
    ranked = rank(weigh(index, asked.claims, p_claim(asked.scores), asked.method))
    assert len(ranked.cluster) == 1
    tree = explain(index, asked, 0, PRO)
    assert tree.value == pytest.approx(ranked.score[0])
    assert len(tree.details) == LINKS_EXPLAINED + 1
    assert tree.details[-1].description == f"{n - LINKS_EXPLAINED} links that contribute less"
    first = [part.value for part in tree.details[0].details[1].details]
    assert first == [pytest.approx(n / (n * (n + 1) / 2))] * 3


@pytest.mark.parametrize("method", METHODS)
def test_no_claim_found_is_no_answer(method):
    index = scoring_of(({(0, PRO, 0)}, np.array([0]), np.array([0]), np.zeros((3, 1))))
    ranked = rank(weigh(index, np.zeros(0, np.int64), p_claim([]), method))
    assert ranked.cluster.tolist() == []
    assert ranked.score.dtype == np.float64


def test_the_explanation_names_counts():
    triples = {(0, PRO, 0), (0, PRO, 1), (1, PRO, 1)}
    index = scoring_of((triples, np.array([0, 1]), np.array([0, 1]), np.array([[1.0, 0]] * 3)))
    asked = RetrievedClaims(np.array([0]), np.array([2.0]), Method("average", (0, 1, 2)), NAMES)
    lines = "\n".join(explain(index, asked, 0, PRO).lines())
    assert "P(cluster 0 | question), supporting" in lines
    assert "dcf, wins against the claim's 1 other premises of this stance" in lines
    assert "P_dcf, reasonableness: (1 + dcf) / Z" in lines
    assert "2  claim clusters" in lines
    assert "1  of which the premise's cluster serves" in lines


def test_the_longest_premise_represents_its_cluster():
    assert representatives([3, 9, 9, 4], [0, 1, 1, 0], 2).tolist() == [3, 1]
    assert representatives([], [], 0).tolist() == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Method("best"), "family must be pficf, plain, product or average, not 'best'"),
        (lambda: Method("plain"), "dimensions must be empty for the pficf family and"),
        (lambda: Method("pficf", (0,)), "dimensions must be empty for the pficf family and"),
        (lambda: p_claim([-1.0]), "scores must be finite and at least 0, but some are not"),
        (lambda: p_claim([math.nan]), "scores must be finite and at least 0, but some are not"),
        (lambda: dcf_by_score(np.array([math.nan]), np.array([0, 1])), "scores must be finite"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_claims_the_index_lacks_are_named():
    index = scoring_of(({(0, PRO, 0)}, np.array([0]), np.array([0]), np.zeros((3, 1))))
    with pytest.raises(ValueError, match="claims must be below 1, not 0 to 3"):
        weigh(index, np.array([0, 3]), np.array([0.5, 0.5]), Method("pficf"))
