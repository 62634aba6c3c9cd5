"""Which sentences of arguments answer: whole, understood alone, on the subject, not said before."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.debate.talk import READ, WISH, Talk, any_of, spelt, telling
from argsearch.engine.points.sentences import (
    ClaimSentence,
    asked_roots,
    reasons,
    self_contained,
    sentences_of,
    standing_alone,
)
from argsearch.engine.stance.claims import Claim, accord, read_claim
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.terms import canonical
from argsearch.engine.stance.wording import ENCODER
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.ranking.lexicons import lexicon

Floats = NDArray[np.float64]
Rows = NDArray[np.float32]
Flags = NDArray[np.bool_]
FEWEST, MOST = 6, 34
"""Words of a sentence that is said."""
ALIKE, SHARED = 0.9, 0.6
"""Cosine from which a sentence repeats another, and the share of the shorter one's roots, without
those of the thesis, that the other has."""
HALF, FAINT, TOLD = 0.6, 0.2, 0.65
"""An argument is on the subject whose conclusion is as near that of the thesis as TOLD (a cosine),
a sentence of it that is as near the thesis as FAINT. Where no stance tells sides, it also names
HALF of the subject's words (by idf)."""
FAR = 0.3
"""Cosine with the nearest sentence, below which a message may leave the subject."""
VETO, SURER = 0.35, 0.85
"""P(against the thesis) of a sentence, read alone, below which it is not said: its argument's side
tells more. SURER where no stance tells that side."""
SAID, RESTATED = 1.5, 3.0
"""What a sentence's own direction towards the subject adds to its logit of being for the thesis;
RESTATED times that where both say what should be."""
LOOKED_AT = 64
"""Sentences, the best before their direction is read, whose direction is read."""
W_ALONE, W_ANSWER, W_WORDS, W_THESIS = 1.0, 1.5, 1.0, 1.0
W_SIDE, W_DIRECTION, W_REASON, W_USED = 3.0, 1.5, 0.4, 0.5
"""What being understood alone weighs, being near what was last claimed (a cosine, and the share of
its words by idf) and near the thesis; P(against) of the argument and of the sentence, giving a
reason, and, taken off, that the argument was heard before. Set by reading talks."""
_LISTS = lexicon("debate")
_BARRED = re.compile(any_of(*_LISTS["rude"], *_LISTS["about debates"]), re.IGNORECASE)
_JOINED = re.compile(
    rf"[a-z][A-Z]|[A-Z]{{2}}[a-z]{{3}}|[():]|\w- |--|\b[A-Z]{{5,}}\b|(?<!['’.])\b[b-hj-z]\b"
    rf"|[\w,] {any_of(*map(str.capitalize, _LISTS['beginnings']))}|^(\w+) (?:\S+ ){{1,4}}\1\b"
)
"""Signs of a heading that ran into a sentence, of shouting, of a note or a slip."""
_FRAGMENT = re.compile(rf"[A-Z]\w+ing\b(?!.*{any_of(*_LISTS['finite'])})")
_CLAUSE = re.compile(r",|;|\bso\b|\bthat\b")
"""Where a sentence's first clause ends: what comes later turns its direction no more."""
_IT = re.compile(any_of("it", "its", "they", "them", "their", "this", "that"), re.IGNORECASE)
"""What may stand for the subject."""


@dataclass(frozen=True)
class Choice:
    """What can be said in a talk, of arguments against its thesis."""

    talk: Talk
    arguments: Sequence[Argument]
    probabilities: Sequence[float]
    """Of each argument, that it is against the thesis."""
    claiming: bool = True
    """Whether stances tell that."""

    @cached_property
    def asked(self) -> frozenset[str]:
        """The roots of the thesis."""
        return asked_roots(self.talk.thesis)

    @cached_property
    def subject(self) -> frozenset[str]:
        """The roots of what the thesis is about."""
        return frozenset(self.talk.claim.subject) & telling(self.talk.thesis) or self.asked

    @cached_property
    def sentences(self) -> list[ClaimSentence]:
        """The sentences that can be said and were not, word for word."""
        said = [f" {spelt(one.content[-READ:])} " for one in self.talk.messages]
        return [
            one
            for one in sentences_of(self.arguments, self.asked)
            if sound(one.text) and self_contained(one) and _is_new(f" {spelt(one.text)} ", said)
        ]

    @cached_property
    def vectors(self) -> tuple[Rows, Rows, Rows]:
        """Unit rows: of the sentences; of the thesis and the last claims, without and with the
        subject beside them, which "it" may stand for; of what was said."""
        talk = self.talk
        beside = [f"{talk.claim.phrase}: {one}" for one in talk.claims]
        heard = [talk.thesis, *talk.claims, *beside]
        rows = _rows([*(one.text for one in self.sentences), *heard, *talk.said])
        first, second = len(self.sentences), len(self.sentences) + len(heard)
        return rows[:first], rows[first:second], rows[second:]

    @property
    def strays(self) -> bool:
        """Whether the last message leaves the subject: no argument has any of its words."""
        claims = self.talk.claims
        if not claims or any(asked_roots(one) & self.subject or _IT.search(one) for one in claims):
            return False
        if self._near(slice(1, 1 + len(claims))).max(initial=0.0) >= FAR:
            return False
        texts = " ".join(one.premise.lower() for one in self.arguments)
        known = frozenset(map(canonical, spelt(texts).split()))
        return all(known.isdisjoint(telling(one)) for one in claims)

    def ranked(self) -> Iterator[int]:
        """Yield the numbers of what may be said, best first."""
        if not self.sentences:
            return
        thesis = self._near(slice(0, 1))
        of = np.array([one.place for one in self.sentences])
        likely = np.array(self.probabilities, np.float64)[of]
        worths = (
            W_ALONE * np.array([standing_alone(one, self.asked) for one in self.sentences])
            + W_ANSWER * self._near(slice(1 + len(self.talk.claims), None))
            + W_WORDS * self._shared()
            + W_THESIS * thesis
            + W_SIDE * likely
            - W_USED * self._used()[of]
        )
        on = self._concerning(of) & (thesis >= FAINT)
        best = np.argsort(-worths, kind="stable")
        best = best[(self._fresh() & on)[best]][:LOOKED_AT]
        ordered = []
        for i, p in zip(best.tolist(), self.against(best.tolist()), strict=True):
            if p >= (VETO if self.claiming else SURER):
                reason = W_REASON * reasons(self.sentences[i])
                ordered.append((-float(worths[i] + W_DIRECTION * p + reason), i))
        yield from (i for _, i in sorted(ordered))

    def against(self, numbers: Sequence[int]) -> list[float]:
        """Return P(against the thesis) of sentences, each read alone as if on the question."""
        texts = [self.sentences[i].text for i in numbers]
        logits = StanceModel.load().alone(self.talk.thesis, texts)
        towards = [self._towards(text) for text in texts]
        found: list[float] = (1.0 / (1.0 + np.exp(np.add(logits, towards)))).tolist()
        return found

    def _towards(self, text: str) -> float:
        """Return what a sentence's own direction adds to its logit of being for the thesis."""
        own = own_direction(self.talk.claim, self.subject, text)
        restated = WISH.search(text) and WISH.search(self.talk.thesis)
        if own < 0 or not restated:
            return SAID * own
        return SAID * RESTATED if own else 0.0

    def _near(self, heard: slice) -> Floats:
        """The largest cosine of each sentence with some of the thesis and the last claims."""
        rows, all_heard, _ = self.vectors
        near: Floats = (rows @ all_heard[heard].T).max(axis=1, initial=0.0).astype(np.float64)
        return near

    def _shared(self) -> Floats:
        """The share of a last claim's words, by idf, that each sentence has; the largest."""
        best = np.zeros(len(self.sentences))
        for claim in self.talk.claims:
            best = np.maximum(best, shares_of(telling(claim) - self.subject, self.sentences))
        return best

    def _used(self) -> Floats:
        """1 for each argument of which a sentence was said before, else 0."""
        said = [text for one in self.talk.said if len((text := spelt(one)).split()) >= FEWEST]
        texts = [f" {spelt(one.premise)} " for one in self.arguments]
        return np.array([float(any(f" {one} " in text for one in said)) for text in texts])

    def _fresh(self) -> Flags:
        """Whether each sentence repeats nothing that was said, in other words either."""
        rows, _, said = self.vectors
        told = [asked_roots(one) - self.asked for one in self.talk.said]
        near = (rows @ said.T).max(axis=1, initial=0.0) >= ALIKE
        own = [one.roots - self.asked for one in self.sentences]
        shared = np.array([any(overlapping(one, other) for other in told) for one in own])
        return np.asarray(~(near | shared), np.bool_)

    def _concerning(self, of: NDArray[np.int64]) -> Flags:
        """Whether each sentence's argument has a conclusion on the subject; of: its place.

        Of arguments without stances towards a claim the sentence itself is.
        """
        phrases = [read_claim(one.conclusion or "").phrase for one in self.arguments]
        rows = _rows([self.talk.claim.phrase, *phrases])
        near = (rows[1:] @ rows[0] >= TOLD)[of]
        named = shares_of(self.subject, self.sentences) >= HALF
        return np.asarray(near if self.claiming else near & named, np.bool_)


def shares_of(words: frozenset[str], sentences: Sequence[ClaimSentence]) -> Floats:
    """Return the share of some words, by idf, that each sentence has, in [0, 1]."""
    weights = {word: StanceModel.load().idf(word) for word in words}
    found = [sum(weights[word] for word in words & one.roots) for one in sentences]
    return np.asarray(np.array(found) / max(sum(weights.values()), 1e-9), np.float64)


def own_direction(asked: Claim, subject: Collection[str], text: str) -> float:
    """Return whether a sentence, by its first clause, is for what is asked (> 0) or against it.

    In [−1, 1]: by the share that it names of the subject's roots; 0 below half of them, or where
    it has no direction.
    """
    own = read_claim(_CLAUSE.split(text)[0])
    share = sum(root in own.subject for root in subject) / max(1, len(subject))
    return accord(asked, own) * share if own.directed and share >= 0.5 else 0.0


def sound(text: str) -> bool:
    """Return whether a sentence can be said: brief, no shouting, no heading, no debaters' talk."""
    if not FEWEST <= len(text.split()) <= MOST or "?" in text:
        return False
    return not (_BARRED.search(text) or _JOINED.search(text) or _FRAGMENT.match(text))


def overlapping(
    one: frozenset[str], other: frozenset[str], fewest: int = 2, share: float = SHARED
) -> bool:
    """Return whether one sentence's roots repeat another's, of which it has `fewest` at least."""
    smaller = min(len(one), len(other))
    return smaller >= fewest and len(one & other) >= share * smaller


def _is_new(text: str, said: Sequence[str]) -> bool:
    return not any(text in one for one in said)


def _rows(texts: Sequence[str]) -> Rows:
    rows: Rows = load_encoder(ENCODER).encode(list(texts))
    return rows
