"""Find the points made on each side of a question, with counts (docs/points.md).

No text is generated: a point is a sentence of an argument, and every quote names its source.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from argsearch.engine.one_thread import one_thread
from argsearch.engine.points.model import PointModel
from argsearch.engine.points.sentences import (
    ClaimSentence,
    asked_roots,
    directions,
    said,
    sentences_of,
    standing_alone,
)
from argsearch.engine.results.quotes import ALL, TWO_SIDES, Quote, QuoteSection
from argsearch.engine.results.results import Results
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.points import (
    TURNED_ROUND,
    WORTH,
    Floats,
    Ints,
    choose,
    features,
    nearness_elsewhere,
    turn,
)

READ_DEPTH = 200
"""Number of top hits to read."""
CANDIDATES = 120
"""Number of candidate sentences per side, chosen by similarity to other arguments' sentences."""
NEAR_QUESTION = 0.5
"""Cosine to the question from which a sentence is near enough to represent a point."""
LEAST_WORTH = 0.05
"""Smallest product of `standing_alone` and nearness of a sentence that may represent a point."""
OWN_SENTENCE = "the point's own sentence"
"""Reason given for a point's first quote."""


@dataclass(frozen=True)
class SidePoints:
    """The points of one side, most frequent first, and the arguments that make none of them."""

    side: str
    """`for`, `against`, or `all` if there are no sides."""
    points: tuple[QuoteSection, ...]
    """The points. The heading of each point is the sentence of its first quote."""
    ungrouped: tuple[Argument, ...]
    """The side's arguments that make none of the points shown, best first."""

    @property
    def grouped(self) -> int:
        """Number of arguments that make one of the points shown."""
        return len({quote.id for point in self.points for quote in point.quotes})

    @property
    def total(self) -> int:
        """Number of arguments on the side."""
        return self.grouped + len(self.ungrouped)

    @property
    def coverage(self) -> float:
        """Share of arguments that are grouped in points, 0 to 1; 0 if there are no arguments."""
        return self.grouped / self.total if self.total else 0.0


@dataclass(frozen=True)
class KeyPoints:
    """The answer to a question, as points."""

    results: Results
    """The hits that were read."""
    sides: Mapping[str, SidePoints]
    unclear: int
    """Number of hits without a clear side, which are left out."""
    model: PointModel
    asked: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the request, without the question."""
    milliseconds: float = 0.0
    """Time from the question to its points, in milliseconds."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader."""
        return self.results.remarks

    @property
    def receipt(self) -> dict[str, Any]:
        """The request, the index, the model, and the ids of the quoted arguments.

        The same question, configuration, filters and fingerprint give the same ids.
        """
        results = self.results
        sides = self.sides.items()
        grouped = {
            side: [[quote.id for quote in point.quotes] for point in one.points]
            for side, one in sides
        }
        return {
            "question": results.query,
            "config": results.config.name,
            "config_sha256": results.config.sha256,
            "overrides": [str(one) for one in self.asked.get("overrides", ())],
            "stance": None if (stance := self.asked.get("stance")) is None else str(stance),
            "where": [str(one) for one in self.asked.get("where", ())],
            "collapse": results.collapsed,
            "fingerprint": results.fingerprint,
            "model": self.model.sha256,
            "points": grouped,
            "ungrouped": {side: [one.id for one in of.ungrouped] for side, of in sides},
        }


def key_points(results: Results, asked: Mapping[str, Any] | None = None) -> KeyPoints:
    """Return the key points of a search's first hits. The search must have used `sides`.

    If no hit has a side, all points are in one list. Hits have no sides if the question has none or
    the index's stances do not reveal them. asked: the request, for the receipt.
    """
    begun, model = time.perf_counter(), PointModel.load()
    found: dict[str, list[Argument]] = {side: [] for side in TWO_SIDES}
    hits = list(results.hits)
    for hit, side in zip(hits, results.sides, strict=True):
        if side.value in found:
            found[side.value].append(hit.argument)
    balance = results.balance
    sided = balance is None or (balance.claim.sided and results.claiming())
    if not sided and not any(found.values()):
        found = {ALL: [hit.argument for hit in hits]}
    question = results.asked
    with one_thread():
        sides = {side: of_side(question, side, some, model) for side, some in found.items()}
    read = sum(len(some) for some in found.values())
    spent = results.milliseconds + (time.perf_counter() - begun) * 1000.0
    return KeyPoints(results, sides, len(hits) - read, model, asked or {}, spent)


def of_side(
    question: str, side: str, arguments: Sequence[Argument], model: PointModel
) -> SidePoints:
    """Return the points that several arguments share, and the arguments that make none of them."""
    asked = asked_roots(question)
    sentences = sentences_of(arguments, asked)
    worths = np.array([standing_alone(one, asked) for one in sentences])
    if not sentences:
        return SidePoints(side, (), tuple(arguments))
    of = np.array([one.place for one in sentences])
    words = [one.words for one in sentences]
    numbers, vector = said([one.text for one in sentences], words, of.tolist(), question)
    # A sentence far from the question can rarely be understood alone.
    worths *= np.clip(numbers.vectors @ vector / NEAR_QUESTION, 0.0, 1.0)
    whole = np.flatnonzero(worths >= LEAST_WORTH)
    if len(whole) == 0:
        return SidePoints(side, (), tuple(arguments))
    near = nearness_elsewhere(numbers, of)[whole] * worths[whole] ** WORTH
    candidates = np.sort(whole[np.argsort(-near, kind="stable")[:CANDIDATES]])
    x = features(numbers, vector, candidates)
    turn(x, _directions(sentences, model.same(x), candidates, of, model), candidates)
    same = model.same(x)
    chosen = choose(same, candidates, of, worths[candidates], model.limits)

    def quoted(number: int, s: int) -> Quote:
        """Return sentence s as a quote for the point that sentence `number` represents."""
        row, one = int(np.searchsorted(candidates, number)), sentences[s]
        where = arguments[one.place], one.text, one.begin, one.end, side
        if s == number:
            return Quote(*where, 1.0, f"is {OWN_SENTENCE}", partial(Explanation, 1.0, OWN_SENTENCE))
        sure = float(same[row, s])
        reason = f"makes the same point (certainty: {sure:.0%})"
        return Quote(*where, sure, reason, partial(model.explanation, x[row, s].copy()))

    points = []
    for number, told in zip(chosen.points.tolist(), chosen.quotes, strict=True):
        quotes = tuple(quoted(number, s) for s in told.tolist())
        points.append(QuoteSection(quotes[0].text, side, len(quotes), quotes))
    grouped = {int(of[s]) for told in chosen.quotes for s in told.tolist()}
    left = tuple(one for place, one in enumerate(arguments) if place not in grouped)
    return SidePoints(side, tuple(points), left)


def _directions(
    sentences: Sequence[ClaimSentence], most: Floats, candidates: Ints, of: Ints, model: PointModel
) -> Ints:
    """Return the direction of each sentence; sentences that cannot be shown are not read.

    most: an upper bound, P(same) if no sentence were negated. A candidate represents no point if no
    other argument supports it, and a sentence that supports no candidate is not quoted.
    """
    sure = most >= (model.limits.same if model.weights[TURNED_ROUND] <= 0 else 0.0)
    points = [row for row, number in enumerate(candidates) if np.any(of[sure[row]] != of[number])]
    told = np.flatnonzero(sure[points].any(axis=0))
    read = np.union1d(candidates[points], told)
    out = np.ones(len(sentences), np.int64)
    out[read] = directions([sentences[s].text for s in read])
    return out
