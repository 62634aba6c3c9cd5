"""The sides of a question: arguments for it, against it, and of unclear side.

An argument has a stance towards its own conclusion and a side towards the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.query.terms import corrected
from argsearch.engine.stages import Candidates
from argsearch.engine.stance.claims import Claim, read_claim, read_question
from argsearch.engine.stance.judge import JUDGED_HITS, judge
from argsearch.engine.stance.model import SIDE_VALUES, Side, StanceModel
from argsearch.engine.stance.wording import canonical, words_of
from argsearch.indexer.analysis.passages import passage_texts

if TYPE_CHECKING:
    from argsearch.engine.backends.base import Contents

DEPTH = 100
"""Number of best hits whose side is determined. Each side's list contains only these hits."""
CLAIM_SAMPLE = 200
"""Number of evenly sampled conclusions used to test if an index's conclusions are claims."""
ON_QUESTION_PROBABILITY = 0.5
"""Smallest P(on the question) at which an argument counts as likely to be about the question."""
FIRST_SIDE_PLACES = 5
"""Number of top places per side, which readers look at first."""
FIRST_PLACES_PROBABILITY = 0.7
"""Minimum probability of a side in the first FIRST_SIDE_PLACES. Less certain arguments follow."""
SUBJECT_SHARE = 0.35
"""Smallest mean share of the subject's words, by idf, in texts that meaning alone found."""
SURELY_ON_QUESTION = 0.86
"""P(on the question) from which a text needs none of the subject's words (`lacks_subject`)."""


@dataclass(frozen=True)
class Balance:
    """The sides of the best arguments, and the claim that "for" refers to."""

    claim: Claim
    sides: tuple[Side, ...]
    """Side of each hit that was read, best hit first."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of arguments on each side, counted only among the hits that were read."""
        values = [side.value for side in self.sides]
        return {side: values.count(side) for side in SIDE_VALUES}

    @property
    def off_question(self) -> int:
        """Number of unclear arguments that are probably about something else."""
        unclear = (side.on_question for side in self.sides if side.value == "unclear")
        return sum(on is not None and on < ON_QUESTION_PROBABILITY for on in unclear)

    def of(self, side: str, surer_first: bool = True) -> NDArray[np.int64]:
        """Return the positions of a side's hits, in order or with the more certain ones first."""
        found = [i for i, one in enumerate(self.sides) if one.value == side]
        if surer_first and side != "unclear":
            found.sort(key=lambda i: self.sides[i].probability < FIRST_PLACES_PROBABILITY)
        return np.array(found, np.int64)


class Sided:
    """The sides of candidates. Each is read on first use."""

    def __init__(
        self,
        question: str,
        whole: Candidates,
        typed: Candidates | None = None,
        *,
        claiming: bool = True,
        ranked: bool = True,
        model: str = "none",
    ) -> None:
        """Prepare to read the sides of the hits `whole` on `question`.

        `typed` are the hits for the question as typed, if it differs. `claiming` is true if stances
        refer to claims. If `ranked` is false, a column orders the hits, and a side's list keeps
        that order. `model` names a model that also reads the best hits (`engine.stance.judge`).
        """
        self.question, self.whole, self.typed = question, whole, typed
        self.claiming, self.ranked, self.model = claiming, ranked, model
        self._read: tuple[Side, ...] = ()

    @property
    def other(self) -> str | None:
        """The question that sides refer to, or None if it is the question as typed."""
        typed = self.whole if self.typed is None else self.typed
        return None if typed.question == self.question else self.question

    @cached_property
    def near(self) -> bool:
        """True if search by meaning was used only to find sides."""
        return bool(self.about) and self.typed is not None and not _about(self.typed)

    @property
    def claim(self) -> Claim:
        """The claim that the question asks about."""
        return read_question(self.question)

    @cached_property
    def about(self) -> Any:
        """Prototype of the best DEPTH hits' conclusions, or None if meaning found no hits."""
        return _about(self.whole)

    def first(self, n: int) -> Balance:
        """Return the sides of the first n hits, or of all hits if there are fewer."""
        read = self._read
        more = self.whole.take(slice(len(read), n))
        if len(more):
            read += tuple(self._sides(more, len(read)))
            self._read = read
        return Balance(self.claim, read[:n])

    @property
    def balance(self) -> Balance:
        """The sides of the best DEPTH hits."""
        return self.first(DEPTH)

    @property
    def so_far(self) -> Balance:
        """The sides that have been read so far."""
        return self.first(len(self._read))

    @property
    def filled(self) -> int:
        """Number of arguments in the first FIRST_SIDE_PLACES places of both sides together."""
        counts = self.balance.counts
        return min(FIRST_SIDE_PLACES, counts["for"]) + min(FIRST_SIDE_PLACES, counts["against"])

    @property
    def lacks_subject(self) -> bool:
        """True if the first places seem to be about something else than the question.

        No conclusion has a word of its subject, no text has them all, the texts have on average
        less than SUBJECT_SHARE of them by idf, and no argument is SURELY_ON_QUESTION.
        """
        best, words = self.balance, self.claim.phrase.split()
        first = np.concatenate([best.of(side)[:FIRST_SIDE_PLACES] for side in ("for", "against")])
        on = [best.sides[place].on_question or 0.0 for place in first.tolist()]
        matches, hits = self.whole.source.matches, self.whole.take(first).arguments
        named = _having(words, [one.conclusion or "" for one in hits])
        # The subject may be anywhere in a text, so all words are read.
        had = _having(words, [one.premise for one in hits])
        if named.any() or had.all(axis=1).any() or max(on, default=1.0) >= SURELY_ON_QUESTION:
            return False
        idf = np.log((matches.documents + 1.0) / (matches.documents_with(words) + 1.0))
        return bool((had @ idf).mean() < SUBJECT_SHARE * idf.sum())

    def page(self, side: str | None, page: slice) -> Candidates:
        """Return a page of all hits, or of the hits on one side among the first DEPTH."""
        if side is None:
            shown = self.whole if self.typed is None else self.typed
            return shown.take(page, shown.kept)
        places = self.balance.of(side, self.ranked)
        return self.whole.take(places[page], len(places))

    def on(self, page: Candidates) -> list[Side]:
        """Return the side of each hit on a page."""
        # The page may show hits for the question as typed, and sides may come from another reading.
        if page.source is not self.whole.source:
            return self._sides(page)
        place_of = {row: place for place, row in enumerate(self.whole.rows.tolist())}
        places = [place_of[row] for row in page.rows.tolist()]
        read = self.first(max(places, default=-1) + 1).sides
        return [read[place] for place in places]

    def _sides(self, hits: Candidates, begin: int = 0) -> list[Side]:
        """Return the sides of hits; the first hit is at position `begin` of the list."""
        concerning = hits.source.concerning(self.about, hits.rows) if self.about else None
        model, arguments = StanceModel.load(), hits.arguments
        how: Any = {"claiming": self.claiming, "concerning": concerning}
        found = model.evidence(self.question, arguments, **how)
        if self.model != "none" and begin < JUDGED_HITS:
            first, reader = slice(JUDGED_HITS - begin), judge(self.model)
            texts = _passages(hits.take(first))
            found[first] = reader.judged(self.claim, arguments[first], texts, found[first])
        return [model.weigh(evidence) for evidence in found]


def _passages(hits: Candidates) -> list[str]:
    """Return the passage of each text that is nearest to the question, or else the first one."""
    fused = hits.source.fused
    places = np.zeros(len(hits)) if fused is None else fused.near(hits.rows)["place"]
    found = []
    for text, place in zip(hits.texts, places.astype(np.int64).tolist(), strict=True):
        of = passage_texts(text) or [text]
        found.append(of[max(0, place)])
    return found


def _having(words: Sequence[str], texts: Sequence[str]) -> NDArray[np.bool_]:
    """Return whether each text has each word, a form of it or a synonym, bool[n, k]."""
    roots = [canonical(word) for word in words]
    found = [set(map(canonical, words_of(text))) for text in texts]
    return np.array([[root in of for root in roots] for of in found], np.bool_)


def _about(hits: Candidates) -> Any:
    best = hits.take(slice(DEPTH))
    return None if best.source.fused is None else best.source.fused.prototype(best.rows)


def claiming(contents: Contents | None) -> bool:
    """Return True if an index's stances refer to claims, and so determine sides.

    Stances don't refer to claims if all are equal and fewer than half of CLAIM_SAMPLE conclusions
    have a direction, as with titles of forum threads. Return True for a search server (None).
    """
    if contents is None:
        return True
    arrays = contents.arrays
    if np.count_nonzero(np.bincount(arrays.stances, minlength=3)[1:]) != 1:
        return True
    begins = np.asarray(arrays.conclusion_docs)
    rows = np.flatnonzero(np.diff(begins))
    spread = rows[np.linspace(0, len(rows) - 1, min(CLAIM_SAMPLE, len(rows))).astype(np.int64)]
    conclusions = (contents.store[int(begins[row])].conclusion or "" for row in spread)
    return 2 * sum(read_claim(one).directed for one in conclusions) >= len(spread)


def sided(
    question: str,
    find: Callable[[str], Candidates],
    near: Callable[[str], Candidates] | None = None,
    **how: Any,
) -> Sided:
    """Return the sides of a question as typed, or of its correction if that fills more places.

    If `near` is given, both are tried again with the hits of `near`, the search by meaning. These
    hits do not count if the index lacks the question's subject. Once all places are filled, nothing
    else is tried.

    how: further arguments for `Sided`.
    """
    typed = best = Sided(question, find(question), **how)
    spelt = corrected(question, typed.whole.source.matches)
    # Every reading costs a search. The question as typed has been searched before.
    others = [spelt] if spelt.split() != question.split() else []
    readings = [(text, find) for text in others]
    if near is not None:
        readings += [(text, near) for text in (question, *others)]
    for text, search in readings:
        if best.filled == 2 * FIRST_SIDE_PLACES:
            break
        other = Sided(text, search(text), typed.whole, **how)
        if other.filled > best.filled and not (other.near and other.lacks_subject):
            best = other
    return best
