"""Explanations of scores, made from the same factors that the kernels multiplied (H21 Eq. 1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from argsearch.engine.query.query import Query
from argsearch.ranking import combination
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.similarities import dirichlet
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths


@dataclass(frozen=True, slots=True)
class TermMatch:
    """A query term that occurs in a document."""

    term: str
    weight: float
    """Number of times that the term occurs in the query."""
    tf: int
    ttf: int
    tree: Explanation | None = None
    """The term's score by a model other than DirichletLM."""


@dataclass(frozen=True, slots=True)
class ScoreEvidence:
    """The data behind the score of one document."""

    length: int
    """|D|, the document's number of tokens."""
    cluster: int | None
    """Cluster of the document's conclusion, if it has one."""
    quality: float
    """Q, from 0 to 1."""
    tokens: int
    """T, number of tokens in the collection."""
    terms: tuple[TermMatch, ...]
    """The query terms that occur in the document, in the order of the query."""
    columns: tuple[tuple[str, float, float], ...] = ()
    """Name, ω and x of each weighted column."""
    forms: tuple[TermMatch, ...] = ()
    """The query's word-form classes that occur in the document, if the query uses them."""


def explain(query: Query, evidence: ScoreEvidence, told: float | None = None) -> Explanation:
    """Return the explanation of a hit's score. told: R as computed by a server, or None."""
    boost = query.boost
    Q = Explanation(evidence.quality, "Q, predicted quality of the premises, 0 to 1", symbol="Q")
    C = _cluster(query, evidence.cluster)
    R = _relevance(query, evidence)
    R = R if told is None else replace(R, value=told)
    return combination.explain(R, C, Q, boost.cluster, boost.quality, evidence.columns)


def _relevance(query: Query, evidence: ScoreEvidence) -> Explanation:
    if query.retrieval.model == "constant":
        return Explanation(1.0, "R, relevance fixed at 1", symbol="R")
    dl = float(evidence.length)
    if query.retrieval.lengths == "lucene":
        # The score was computed with the length in one byte, so the explanation shows that length.
        dl = float(LENGTH_TABLE[encode_lengths(evidence.length)])
    details = tuple(
        _term(match, dl, evidence.tokens, query.retrieval.mu) for match in evidence.terms
    )
    R = sum(detail.value for detail in details)
    whole = Explanation(float(R), "R, relevance, sum over the query's terms", details, "R")
    if not query.retrieval.stem_conflation:
        return whole
    classes = tuple(_term(match, dl, evidence.tokens, 0.0) for match in evidence.forms)
    R_plain = replace(whole, description="R_plain, sum over the query's terms", symbol="")
    R_forms = sum(one.value for one in classes)
    said = "R_forms, sum over the query's words, with all forms of a word counted as one term"
    return combination.explain_forms(
        R_plain, Explanation(R_forms, said, classes), query.retrieval.stem_conflation
    )


def one_term(spellings: Iterable[str]) -> str:
    """Return the name of a term that unites several spellings, in the order of the index."""
    return ", ".join(sorted(spellings))


def _term(match: TermMatch, dl: float, tokens: int, mu: float) -> Explanation:
    once = match.tree or dirichlet.explain(match.tf, dl, match.ttf, tokens, mu)
    if match.weight == 1.0:
        return Explanation(once.value, f"{match.term}: {once.description}", once.details)
    times = Explanation(match.weight, "times, the number of occurrences of the term in the query")
    model = once.description.partition(",")[0]
    return Explanation(match.weight * once.value, f"{match.term}: times × {model}", (times, once))


def _cluster(query: Query, cluster: int | None) -> Explanation:
    if cluster is None:
        return Explanation(0.0, "C, no conclusion (or no clusters), so 0", symbol="C")
    if not len(query.similarities):
        return Explanation(0.0, "C, not computed since w_cluster is 0", symbol="C")
    reading = {"clipped": "max(0, cos)", "shifted": "1 + cos"}[query.boost.cosine]
    return Explanation(
        float(query.similarities[cluster]),
        f"C, {reading} of the query and the centroid of the conclusion's cluster {cluster}",
        symbol="C",
    )
