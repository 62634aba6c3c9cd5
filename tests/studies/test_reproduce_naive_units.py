"""Cells of D20 and W22 on docs/reproduction.md by plain code that shares none.

Beside readers of files: the encoder's vectors, the standard analyzer where W22 counts tokens, its
sentences, and the scores by which one premise beats another (D20).
"""

from __future__ import annotations

import csv
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.parts.pairs.sentences import CONCLUSION, PREMISE, sentences
from argsearch.indexer.quality.pairwise import load_pairwise_model
from tests.studies.naive import cell, ndcg, stored, words

Near = Callable[[np.ndarray, int, "Side", int], list[int]]

pytestmark = [pytest.mark.data, pytest.mark.slow]


def test_d20_naive_bayes_a_query_at_a_time(data_dir: Path) -> None:
    """Table 1: Gaussian naive Bayes on cogency, densities in full."""
    path = next((data_dir / "dagstuhl-15512").glob("*annotated.csv"))
    votes = defaultdict(list)
    with path.open(encoding="latin-1", newline="") as stream:
        for vote in csv.DictReader(stream, delimiter="\t"):
            votes[vote["#id"]].append(vote)
    argued = [three for three in votes.values() if [v["argumentative"] for v in three] == ["y"] * 3]
    assert len(argued) == 304
    texts = [" ".join(three[0]["argument"].replace("<br/>", " ").split()) for three in argued]
    asked = [f"{v['issue']} {v['stance']}".replace("-", " ") for v, *_ in argued]
    cogency = [sum(int(vote["cogency"][0]) for vote in three) for three in argued]
    encode = load_encoder("wordllama").encode
    p, q = encode(texts).astype(float), encode(asked).astype(float)
    rows, wins, query = [], [], []
    for a, b in permutations(range(len(argued)), 2):
        if asked[a] == asked[b] and cogency[a] != cogency[b]:
            sides = [f for one in (p[a], p[b]) for f in (one + q[a], one - q[a], one * q[a])]
            rows.append(np.concatenate(sides))
            wins.append(cogency[a] > cogency[b])
            query.append(asked[a])
    X, y, fold = np.array(rows), np.array(wins), np.array(query)
    assert (len(X), len(set(query))) == (2046, 32)
    right = 0
    for left_out in set(query):
        known, out = fold != left_out, fold == left_out
        scores = []
        for label in (False, True):
            mine = X[known & (y == label)]
            variance = mine.var(axis=0) + 1e-9 * X[known].var(axis=0).max()
            density = -0.5 * ((X[out] - mine.mean(axis=0)) ** 2 / variance + np.log(variance))
            scores.append(density.sum(axis=1) + math.log(len(mine)))
        right += int(((scores[1] > scores[0]) == y[out]).sum())
    printed = float(cell("d20", "table1", "NB | cogency", "by query"))
    assert right / len(y) == pytest.approx(printed, abs=0.001)


class Premises:
    """D20's claims, premises (every occurrence is one) and clusters of both at n / 5.5."""

    def __init__(self, corpus: list[dict]) -> None:
        self.texts, self.documents, self.claims = [], [], {}
        self.of = defaultdict(list)
        for one in corpus:
            for premise in one["premises"] if (one["conclusion"] or "").strip() else ():
                if premise["text"].strip():
                    claim = self.claims.setdefault(one["conclusion"], len(self.claims))
                    self.of[claim, premise["stance"] == "CON"].append(len(self.texts))
                    self.texts.append(premise["text"])
                    self.documents.append(one["id"])
        encode = load_encoder("wordllama").encode
        rows = encode(self.texts)
        scales = abs(rows).max(axis=1, keepdims=True) / np.float32(127)
        self.gamma = self.clustered(encode(list(self.claims)))
        self.pi = self.clustered(np.rint(rows / scales) * scales)  # as an index keeps them
        self.counts, serves = Counter(), set()
        for (c, con), premises in self.of.items():
            self.counts.update((self.pi[p], self.gamma[c], con) for p in premises)
            serves.update((self.pi[p], con, self.gamma[c]) for p in premises)
        self.served = Counter(served[:2] for served in serves)
        self.tfs = [Counter(words(claim)) for claim in self.claims]
        self.holding = Counter(word for tf in self.tfs for word in tf)
        self.longest = {}
        for p in sorted(range(len(self.texts)), key=lambda p: -len(self.texts[p])):
            self.longest.setdefault(self.pi[p], p)

    @staticmethod
    def clustered(rows: np.ndarray) -> list[int]:
        """Agglomerative, average linkage, Euclidean."""
        from scipy.cluster.hierarchy import fcluster, linkage

        tree = linkage(rows.astype(float), "average")
        return fcluster(tree, round(len(rows) / 5.5), "maxclust").tolist()

    def pf_icf(self, claim: int, con: bool) -> list[float]:
        """pf(p, c) · ln(|Γ| / claim clusters that p's cluster serves), of a claim's premises."""
        of, clusters = self.gamma[claim], len(set(self.gamma))
        pis = [self.pi[p] for p in self.of[claim, con]]
        return [self.counts[i, of, con] * math.log(clusters / self.served[i, con]) for i in pis]

    def p_claims(self, question: str) -> dict[int, float]:
        """P(c|q): DFR, In-L-H2, over the distinct claims; the best 100."""
        mean, found = sum(tf.total() for tf in self.tfs) / len(self.tfs), {}
        for claim, tf in enumerate(self.tfs):
            score = 0.0
            for word, times in Counter(words(question)).items():
                if word in tf:
                    tfn = tf[word] * math.log2(1 + mean / stored(tf.total()))
                    rare = math.log2((len(self.tfs) + 1) / (self.holding[word] + 0.5))
                    score += times * tfn * rare / (tfn + 1)
            found[claim] = score
        best = sorted(found, key=lambda claim: (-found[claim], claim))[:100]
        total = sum(found[claim] for claim in best)
        return {claim: found[claim] / total for claim in best if found[claim]}

    def ranked(self, question: str, weigh: Callable[[int, bool], list[float]]) -> list[str]:
        """The documents of the representatives by P(π|q), ties as trec_eval has them, each once."""
        P = Counter()
        for claim, share in self.p_claims(question).items():
            for con in (False, True):
                weights = weigh(claim, con)
                for p, weight in zip(self.of.get((claim, con), []), weights, strict=True):
                    even = weight / sum(weights) if sum(weights) else 1 / len(weights)
                    P[self.pi[p], con] += share * even
        best = [(round(P[at], 12), self.documents[self.longest[at[0]]]) for at in P]
        return list(dict.fromkeys(document for _, document in sorted(best, reverse=True)))


def test_d20_pf_icf_and_plain_cogency(corpus, titles, grades) -> None:
    """Tables 4 and 5 at n / 5.5 clusters: pf·icf, and (1 + dcf) / Z by counting wins."""
    made = Premises(corpus)
    for side, clusters in (("claims, here", made.gamma), ("premises, here, occurrences", made.pi)):
        sizes = Counter(clusters).values()
        assert cell("d20", "sizes", side, "clusters") == f"{len(sizes):,}"
        assert cell("d20", "sizes", side, "max") == str(max(sizes))
    cogency = load_pairwise_model().scores(made.texts)[:, 0].tolist()

    def plain(claim: int, con: bool) -> list[float]:
        others = [cogency[p] for p in made.of.get((claim, con), [])]
        return [1 + sum(own > other for other in others) for own in others]

    for row, weigh in (("pf-icf | -", made.pf_icf), ("plain | co", plain)):
        runs = {query: made.ranked(titles[query], weigh) for query in grades}
        for k in (1, 10):
            column = f"here, n / 5.5: nDCG@{k}"
            values = [ndcg(runs[query], judged, k) for query, judged in grades.items()]
            printed = float(cell("d20", "table4", row, column))
            assert statistics.mean(values) == pytest.approx(printed, abs=0.001)
            values = [
                ndcg([one for one in runs[query] if one in judged], judged, k)
                for query, judged in grades.items()
            ]
            printed = float(cell("d20", "table5", row, column))
            assert statistics.mean(values) == pytest.approx(printed, abs=0.001)


class Side:
    """W22's distinct conclusions or premises, in the order of their first occurrence."""

    def __init__(self, corpus: list[dict], side: str) -> None:
        first: dict[str, dict] = {}
        for one in corpus:
            premises = tuple(Premise(p["text"], None) for p in one["premises"])
            for sentence in sentences(Argument(one["id"], one["conclusion"], premises), side):
                first.setdefault(sentence.text, one)
        count = StandardAnalyzer().tokens
        self.tokens = {text: len(count(text)) for text in first}
        self.texts = [text for text in first if self.tokens[text]]
        self.documents = [first[text] for text in self.texts]
        self.counts = np.array([self.tokens[text] for text in self.texts])
        self.levels = levels(self.texts)


def levels(texts: list[str]) -> np.ndarray:
    """Unit vectors of one byte a dimension: the largest component is 127."""
    rows = load_encoder("wordllama").encode(texts)
    largest = abs(rows).max(axis=1, keepdims=True)
    rows = np.rint(rows / np.where(largest > 0, largest, 1) * 127)
    return rows / np.maximum(1, np.linalg.norm(rows, axis=1, keepdims=True))


def by_cosine(vector: np.ndarray, tokens: int, side: Side, k: int) -> list[int]:
    """The nearest sentences of at least 1.75 times the tokens."""
    cosines = side.levels @ vector
    cosines[side.counts < 1.75 * tokens] = -9
    best = np.argsort(-cosines, kind="stable")[:k]
    return best[cosines[best] > -9].tolist()


def by_mmr(vector: np.ndarray, tokens: int, side: Side, k: int) -> list[int]:
    """The same, by .75 · sim(s, q) − .25 · the most that s is like one chosen before."""
    rest, chosen = by_cosine(vector, tokens, side, k), []
    rows = {one: side.levels[one] for one in rest}
    gains = {one: 0.75 * (rows[one] @ vector) for one in rest}
    most = dict.fromkeys(rest, -1.0)
    while rest:
        best = max(rest, key=lambda one: gains[one] - 0.25 * most[one] * bool(chosen))
        chosen.append(best)
        rest.remove(best)
        most |= {one: max(most[one], rows[one] @ rows[best]) for one in rest}
    return chosen


def test_w22_baseline_and_mmr(corpus, titles, grades) -> None:
    """100 conclusions of a topic, each one's 50 premises, of its stance, none twice; ten pairs."""
    sides = Side(corpus, CONCLUSION), Side(corpus, PREMISE)
    encode, count = load_encoder("wordllama").encode, StandardAnalyzer().tokens
    for run, near in (("baseline", by_cosine), ("MMR", by_mmr)):
        relevant, judged, graded, alike = [], [], [], []
        for query, title in titles.items():
            shown = first_ten(near, levels([title])[0], len(count(title)), sides)
            behind = [sides[1].documents[premise]["id"] for premise in shown]
            known = [g[one] for g in [grades.get(query, {})] for one in behind if one in g]
            relevant += [statistics.mean(known)] if known else []
            judged.append(len(known) / len(shown))
            graded += [sum(known) / len(shown)] if query in grades else []
            rows = encode([sides[1].texts[premise] for premise in shown])
            alike.append(sum(bool((rows[i] @ rows[:i].T > 0.8).any()) for i in range(len(shown))))
        columns = zip(
            ("relevant", "judged", "grade, unjudged 0"), (relevant, judged, graded), strict=True
        )
        for column, values in columns:
            printed = float(cell("w22", "table1", run, f"here: {column}"))
            assert statistics.mean(values) == pytest.approx(printed, abs=0.001)
        printed = float(cell("w22", "table1", run, "here: alike"))
        assert statistics.mean(alike) == pytest.approx(printed, abs=0.001)


def first_ten(near: Near, question: np.ndarray, tokens: int, sides: tuple[Side, Side]) -> list[int]:
    """The premises of the first ten pairs: the best conclusion's, then the next one's."""
    conclusions, premises = sides
    shown: dict[int, None] = {}
    for c in near(question, tokens, conclusions, 100):
        stance = conclusions.documents[c]["premises"][0]["stance"]
        for p in near(conclusions.levels[c], conclusions.counts[c], premises, 50):
            own = premises.documents[p]["premises"][0]["stance"]
            if own == stance or None in (own, stance):
                shown.setdefault(p)
        if len(shown) >= 10:
            break
    return list(shown)[:10]
