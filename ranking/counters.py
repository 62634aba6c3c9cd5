"""Counter-arguments: texts on the same subject that oppose the query's argument most directly.

A good counter shares its subject and words with the argument, resembles it more than other texts
do, and argues against it. So the score compares a candidate's similarity to the query with its mean
similarity to its neighbours (hubness). Similarity and hubness are computed by meaning (cosines of
embeddings) and by words (TF-IDF). The similarity follows Wachsmuth, Syed & Stein (2018), but
ignores the candidate's conclusion. Hubness is defined as in CSLS (Conneau et al. 2018).
Symbols: q is the query's argument and c a candidate, both as joined premises; κ is the query's
conclusion. All inputs are arrays; this module reads no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.lexicons import lexicon
from argsearch.ranking.neighbours import BELOW
from argsearch.ranking.retrieval.selection import largest
from argsearch.ranking.vectors import cosines
from argsearch.ranking.word_vectors import amounts_of, checked_words, word_cosines

Array = NDArray[np.float64]

HUBNESS_NEIGHBOURS = 10
"""Number of neighbours whose mean cosine is the hubness of a document."""
RANKS = (1, 2, 4, 8, 16, 32, 64)
"""Ranks of the neighbours whose cosines form a document's profile."""
CANDIDATES_IN_FULL = 100
"""Number of candidates that are scored with all features."""
DIRECTION_STEPS = 8191
"""Number of quantisation steps on each side of zero, which keeps dot products below 2^31."""
SUBJECT_COSINE = 0.2
"""A candidate with a lower cosine to the query is about another subject and is not a counter."""
CLAIM = 0.5
"""Weight of the query's conclusion, relative to its premises, in the selection of candidates."""

CUES: Mapping[str, float] = {
    cue: float(weight) for cue, weight in map(str.split, lexicon("replies")["cues"])
}
"""Weight of each cue: positive in replies, and negative in arguments that reply to nobody.

The cues are the words that distinguish ArguAna's counters from the points they answer. The weights
were fitted by logistic regression on ArguAna dev; the script is `studies/counter.py` at commit
f2af40ff.
"""


@dataclass(frozen=True, slots=True)
class CounterWeights:
    """Feature weights, fitted to 3,710 points from 507 debates (except `quality` and `side`)."""

    cosine: float = 6.67
    claim: float = 2.59
    hubness: float = -5.56
    rank: float = -0.26
    words: float = -5.17
    claim_words: float = 10.4
    word_hubness: float = -0.81
    word_rank: float = -1.35
    counterness: float = 0.37
    quality: float = 0.0
    side: float = 0.0


@dataclass(frozen=True, slots=True)
class Features:
    """The features of c candidates for one query, float64[c] each, named after their weights."""

    cosine: Array
    """cos(q, c) of the premises' embeddings, in [−1, 1]."""
    claim: Array
    """cos(κ, c) of the query's conclusion and the candidate's premises; 0 without a conclusion."""
    hubness: Array
    """r(c), the candidate's mean cosine to its 10 nearest neighbours."""
    rank: Array
    """ln of the query's rank among the candidate's neighbours, counted from 0 (`log_rank`)."""
    words: Array
    """TF-IDF cosine of the premises, in [0, 1]."""
    claim_words: Array
    """TF-IDF cosine of the query's conclusion and the candidate's premises, in [0, 1]."""
    word_hubness: Array
    """Mean TF-IDF cosine of the candidate and the 10 most similar of its neighbours."""
    word_rank: Array
    """ln of the query's TF-IDF rank among the candidate's neighbours; ln 64 if no word matches."""
    counterness: Array
    """Degree to which the candidate is worded like a reply, about −4 to 4 (`counterness`)."""
    quality: Array
    """Q of the candidate, in [0, 1]."""
    side: Array
    """Signed probability of the likelier side: > 0 against the author, 0 if the side is unknown."""


DESCRIPTIONS = {
    "cosine": "cosine to the query's premises",
    "claim": "cosine to the query's conclusion",
    "hubness": "hubness, mean cosine to its 10 nearest",
    "rank": "ln of the query's rank among its neighbours",
    "words": "TF-IDF cosine to the query's premises",
    "claim_words": "TF-IDF cosine to the query's conclusion",
    "word_hubness": "word hubness, mean TF-IDF cosine to its 10 most similar neighbours",
    "word_rank": "ln of the query's TF-IDF rank among its neighbours",
    "counterness": "counter-ness, how much it reads like a reply",
    "quality": "predicted quality",
    "side": "probability of opposing the author; negative if it supports the author",
}
NAMES = tuple(DESCRIPTIONS)


@dataclass(frozen=True, slots=True)
class CounteredArgument:
    """The argument to find counters to, with t distinct terms."""

    vector: NDArray[np.float32]
    """float32[d], embedding of the premises. Its length does not matter."""
    claim: NDArray[np.float32] | None
    """float32[d], embedding of the conclusion, or None if there is none."""
    tf: NDArray[np.integer]
    """int[t], how often each term occurs in the premises."""
    claim_tf: NDArray[np.integer]
    """int[t], how often each term occurs in the conclusion."""
    idf: Array
    """float64[t], the `idf` of each term."""


@dataclass(frozen=True, slots=True)
class CounterCandidates:
    """c documents from the index, and how often the query's terms occur in them."""

    vectors: NDArray[np.int8]
    """int8[c, d], embeddings of the premises, quantised by `argsearch.ranking.vectors`."""
    scales: NDArray[np.float32]
    """float32[c], the scale that makes each row of `vectors` a unit vector."""
    hubness: NDArray[np.floating]
    """float[c], `mean_of_nearest` of the documents' cosines."""
    profile: NDArray[np.floating]
    """float[c, len(RANKS)], `profile` of the documents' cosines."""
    tf: NDArray[np.integer]
    """int[c, t], how often each of the query's terms occurs in the premises."""
    norms: NDArray[np.floating]
    """float[c], the `TfIdfVectors.norms` of the documents."""
    word_hubness: NDArray[np.floating]
    """float[c], `mean_of_nearest` of the documents' TF-IDF cosines."""
    word_profile: NDArray[np.floating]
    """float[c, len(RANKS)], `profile` of the documents' TF-IDF cosines."""
    counterness: NDArray[np.floating]
    """float[c], `counterness` of the documents."""
    quality: NDArray[np.floating]
    """float[c] in [0, 1], Q of the documents."""


def profile(cosines: NDArray[np.float32]) -> NDArray[np.float16]:
    """Return the cosines at RANKS after sorting them in descending order, float16[n, len(RANKS)].

    Ranks beyond the k given columns count as missing (BELOW).
    """
    out = np.full((len(cosines), len(RANKS)), BELOW, np.float16)
    there = [rank - 1 for rank in RANKS if rank <= cosines.shape[1]]
    out[:, : len(there)] = cosines[:, there]
    return out


def log_rank(profile: ArrayLike, cosine: ArrayLike) -> Array:
    """Return ln of the rank of a cosine among a document's neighbours, from 0 to ln 64.

    profile: descending, float[c, len(RANKS)]; cosine: float[c]. Between two RANKS the result is
    interpolated linearly in ln(rank). The result is 0 for cosines at or above the profile's first.
    """
    p, x = np.asarray(profile, np.float64), np.asarray(cosine, np.float64)
    logs = np.log(RANKS)
    nearer = (p > x[:, None]).sum(axis=1)
    above, below = np.maximum(nearer - 1, 0), np.minimum(nearer, len(RANKS) - 1)
    rows = np.arange(len(p))
    gap = p[rows, above] - p[rows, below]
    share = np.divide(p[rows, above] - x, gap, out=np.zeros(len(p)), where=gap > 0)
    return np.where(nearer == 0, 0.0, logs[above] + share * (logs[below] - logs[above]))


def features(q: CounteredArgument, c: CounterCandidates) -> Features:
    """Compute all features of every candidate, in O(c·(d + t)), with 0 for `side`."""
    cosine = cosines(q.vector, c.vectors, c.scales)
    words = word_cosines(q.tf, c.tf, q.idf, c.norms)
    no_claim, no_side = np.zeros((2, len(c.vectors)))
    return Features(
        cosine=cosine,
        claim=no_claim if q.claim is None else cosines(q.claim, c.vectors, c.scales),
        hubness=np.asarray(c.hubness, np.float64),
        rank=log_rank(c.profile, cosine),
        words=words,
        claim_words=word_cosines(q.claim_tf, c.tf, q.idf, c.norms),
        word_hubness=np.asarray(c.word_hubness, np.float64),
        word_rank=np.where(words > 0, log_rank(c.word_profile, words), np.log(RANKS[-1])),
        counterness=np.asarray(c.counterness, np.float64),
        quality=np.asarray(c.quality, np.float64),
        side=no_side,
    )


def combine(f: Features, w: CounterWeights) -> Array:
    """Return S(q, c) = Σ_f w_f · f(q, c) over the features f, float64[c]; any real number."""
    score = np.zeros(len(f.cosine))
    for name in NAMES:
        score = score + getattr(w, name) * getattr(f, name)
    return score


def explain(f: Features, place: int, w: CounterWeights) -> Explanation:
    """Explain the score of the candidate at `place`. The root's value is that of `combine`."""
    details, score = [], 0.0
    for name in NAMES:
        weight, value = getattr(w, name), float(getattr(f, name)[place])
        score += weight * value
        parts = Explanation(weight, f"weight of {name}"), Explanation(value, DESCRIPTIONS[name])
        details.append(Explanation(weight * value, f"{name}, weight × value", parts))
    return Explanation(score, "counter-argument, sum of features × weights", tuple(details))


def counterness(
    begins: ArrayLike, terms: ArrayLike, tf: ArrayLike, weights: ArrayLike
) -> NDArray[np.float32]:
    """Return Σ_t a_t·(1 + ln tf) / √(Σ_t (1 + ln tf)²) per document, float32[n]; 0 if it is empty.

    Args: begins: int[n + 1]; terms, tf: int[entries], each document's distinct terms. weights:
    float[terms], a_t, 0 for a term that is not a cue (`cue_weights`). Raises like `word_vectors`.
    """
    a = np.asarray(weights, np.float64)
    begins, terms, tf = checked_words(begins, terms, tf, len(a))
    of, amounts = amounts_of(tf)
    out = np.zeros(len(begins) - 1, np.float32)
    _sum_cues((begins, terms, of), (amounts, a), out)
    return out


@kernel
def _sum_cues(words, factors, out):  # type: ignore[no-untyped-def]
    """Fill in the result of `counterness`. factors: amount of each tf and weight of each term."""
    begins, terms, tf = words
    amounts, weights = factors
    sum_, squares = 0.0, 0.0  # running totals over all documents
    for d in range(out.size):
        before, shorter = sum_, squares
        for e in range(begins[d], begins[d + 1]):
            amount = amounts[tf[e]]
            sum_ += weights[terms[e]] * amount
            squares += amount * amount
        if squares > shorter:
            out[d] = (sum_ - before) / np.sqrt(squares - shorter)


def cue_weights(terms: list[bytes], cues: Mapping[str, float] = CUES) -> NDArray[np.float64]:
    """Return the weight of each vocabulary term (UTF-8), float64[terms]; 0 if it is not a cue."""
    listed = {word.encode(): weight for word, weight in cues.items()}
    return np.array([listed.get(term, 0.0) for term in terms], np.float64)


def direction(vector: ArrayLike, claim: ArrayLike | None) -> Array:
    """Return u = q/‖q‖ + CLAIM·κ/‖κ‖, float64[d]; u·c = cos(q, c) + ½·cos(κ, c) for a unit c."""
    out = _unit(vector)
    return out if claim is None else np.asarray(out + CLAIM * _unit(claim))


def _unit(vector: ArrayLike) -> Array:
    x = np.asarray(vector, np.float64)
    norm = float(np.sqrt(x @ x))
    return x / norm if norm else np.zeros(len(x))


@kernel
def _subtract_hubness(direction, vectors, factors, hubness, out):  # type: ignore[no-untyped-def]
    for i in range(len(vectors)):
        dot = np.int32(0)
        for j in range(vectors.shape[1]):
            dot += np.int32(vectors[i, j]) * np.int32(direction[j])
        out[i] = np.int32(dot) * factors[i] - hubness[i]  # numba sums in 64 bits without the cast


def coarse_scores(
    direction: Array,
    vectors: NDArray[np.int8],
    scales: NDArray[np.float32],
    hubness: NDArray[np.floating],
    workers: int = 1,
) -> NDArray[np.float32]:
    """Return cos(q, c) + ½·cos(κ, c) − r(c) of all n documents, float32[n], in integer arithmetic.

    Takes vectors, int8[n, d], scales, float32[n], and hubness, float[n]. The direction is rounded
    to DIRECTION_STEPS steps per sign (error below 1e-3). `workers` is the number of threads.
    """
    largest = float(np.abs(direction).max(initial=0.0))
    step = largest / DIRECTION_STEPS if largest else 1.0
    rounded = np.rint(direction / step).astype(np.int16)
    out = np.empty(len(vectors), np.float32)
    bounds = np.linspace(0, len(vectors), workers + 1).astype(np.int64)

    def work(part: int) -> None:
        """Score the documents assigned to one thread."""
        mine = slice(bounds[part], bounds[part + 1])
        factors = scales[mine] * np.float32(step)
        _subtract_hubness(rounded, vectors[mine], factors, hubness[mine], out[mine])

    if workers == 1:
        work(0)
        return out
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    return out


def first_choice(
    scores: NDArray[np.float32], depth: int = CANDIDATES_IN_FULL, without: ArrayLike = ()
) -> NDArray[np.int64]:
    """Return the `depth` documents with the highest scores, best first, int64[≤ depth].

    Ties are ordered by number. without: documents to exclude (the query and its near-duplicates).
    """
    left = scores.copy()
    left[np.asarray(without, np.int64)] = -np.inf
    return largest(left, depth)
