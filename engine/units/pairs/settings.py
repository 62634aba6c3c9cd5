"""Section [pairs] of a configuration: how pairs of sentences are found (W22)."""

from __future__ import annotations

from dataclasses import dataclass

from argsearch.indexer.format.settings import setting
from argsearch.ranking.pairs import FORMULAS
from argsearch.ranking.reranking.mixture import MU_CONCLUSIONS, MU_PREMISES, READINGS

RERANKS = ("none", "mmr", "structural", "word_movers")
SCOPES = ("corpus", "argument")


@dataclass(frozen=True, slots=True)
class Pairing:
    """Section [pairs]; the defaults are W22's baseline."""

    conclusions: int = setting(100, "conclusions found for the question", low=1, high=1000)
    premises: int = setting(50, "premises found for each conclusion", low=1, high=50)
    conclusion_factor: float = setting(
        1.75, "a conclusion has at least that many times the question's tokens", low=0.0, high=10.0
    )
    premise_factor: float = setting(
        1.75, "a premise has at least that many times its conclusion's tokens", low=0.0, high=10.0
    )
    scope: str = setting(
        "corpus",
        "where a conclusion's premises come from: the whole corpus, or the arguments that have it",
        choices=SCOPES,
    )
    rerank: str = setting("none", "re-ranker of both sides", choices=RERANKS)
    trade_off: float = setting(
        0.75, "MMR's λ: 1 is similarity alone, 0 is variety alone", low=0.0, high=1.0
    )
    mu_conclusions: float = setting(
        MU_CONCLUSIONS, "mixtures' μ: weight of the conclusions' cosine", low=0.0, high=1.0
    )
    mu_premises: float = setting(
        MU_PREMISES, "mixtures' μ: weight of the premises' cosine", low=0.0, high=1.0
    )
    mode: str = setting(
        "distance", "what is mixed in: W22's distance, or the similarity", choices=READINGS
    )
    aggregation: str = setting(
        "nested", "how a conclusion's and its premise's scores make one", choices=tuple(FORMULAS)
    )
    quality: float = setting(
        0.0, "weight ω_Q of the quality of the premise's argument", low=0.0, high=1000.0
    )
    question: float = setting(
        0.0, "weight ω_T of the premise's own cosine with the question", low=0.0, high=1000.0
    )
    argument: float = setting(
        0.0,
        "weight ω_A of the rank score of the premise's argument, found by sections [retrieval] "
        "and [boost], over the best one's",
        low=0.0,
        high=1000.0,
    )
    statements_only: bool = setting(
        False, "whether premises that are questions, quotes or fragments are left out"
    )
    diversity_threshold: float = setting(
        1.0,
        "a premise with a cosine above that to a better pair's premise is left out; 1 keeps all",
        low=0.0,
        high=1.0,
    )
    max_per_conclusion: int = setting(50, "pairs with the same conclusion, at most", low=1, high=50)
    max_per_argument: int = setting(
        50, "pairs whose premise is taken from the same argument, at most", low=1, high=50
    )
