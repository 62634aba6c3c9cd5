"""What a cross-encoder of sides is trained on: questions, short texts, and whether they agree.

Four sources: arguments on topics (IBM-ArgQ-Rank-30k), headlines of points and their debates'
titles (ArguAna), conclusions and their premises (args.me), and phrasings over subjects
(`ranking/lexicons/sides.txt`). Texts on other subjects are on neither side.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from argsearch.engine.stance.claims import read_claim, root
from argsearch.engine.stance.cross_encoder import cut_words
from argsearch.indexer.corpus import read
from argsearch.indexer.corpus.argument import Stance
from argsearch.lab.judgements.tables import decoded
from argsearch.lab.training.stance.training import CORPUS, existing, rank_30k
from argsearch.ranking.lexicons import lexicon, lines

POINTS = "arguana/arguana-dev.json.xz"
"""Points of debates with the stance towards the debate's title."""
TESTED = 20
"""Topics of IBM-ArgQ-Rank-30k, and subjects of phrasings, that are left out to be tested on."""
EACH = {"topic": 150, "headline": 8, "point": 2, "conclusion": 1, "subject": 40}
"""Examples of one topic, title, conclusion or subject, at most, by their source."""
NEITHER = 0.25
"""Examples on another subject, to each one on a side."""
NEAR = 0.5
"""Share of these whose subject is one of the NEAREST by words' vectors; others are drawn."""
NEAREST = 12
BARE, WORDED = 0.5, 0.25
"""Shares of questions that are the bare subject, and the claim as worded; the rest are phrased."""

_SIDE = {1: "for", -1: "against"}
_ACTING = re.compile(
    r"^(?:we|the government|governments?|schools?|society|the state|states|countries|congress|"
    r"parents|people)\s(?:should|must|ought to)\s(?P<not>not\s|never\s)?"
    r"(?P<verb>fight for the abolition of|stop the development of|end the use of|ban the use of|"
    r"abandon the use of|\w+)\s(?P<subject>.+)$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^(?P<subject>.+?)\s(?:should|must|ought to)\s(?P<not>not\s|never\s)?be\s(?P<verb>.+)$",
    re.IGNORECASE,
)
_BRINGS = re.compile(
    r"^(?P<subject>.+?)\s(?P<verb>brings?|does|do|is|are)\s(?P<rest>.+)$", re.IGNORECASE
)
_HOUSE = re.compile(r"^(?:this )?house (?:believes?|belives)(?: that)? |^house (?=would|supports)")
_RESOLVED = re.compile(r"^(?:resolved\W+|thbt|thw|that,? )\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SidePair:
    """A question and a short text; `side` is 1 for it, −1 against it, 0 on another subject."""

    question: str
    text: str
    side: int


@dataclass(frozen=True, slots=True)
class Matter:
    """What texts are for or against: a claim as worded, and its subject where that is known."""

    claim: str
    subject: str = ""
    """The bare subject; "" where the claim cannot be taken apart."""
    polarity: int = 1
    """+1 where the claim speaks for its subject, −1 where against."""

    @classmethod
    def of(cls, text: str) -> Matter:
        """Take a claim apart: "We should ban zoos" is against "zoos"."""
        claim = _RESOLVED.sub("", " ".join(text.split())).strip(" .!?\"'")
        for pattern in (_ACTING, _DONE, _BRINGS):
            found = pattern.match(claim)
            subject = found["subject"] if found else ""
            if found and len(subject.split()) <= 6 and not re.search(r"[,;:()]", subject):
                read = read_claim(claim)
                if read.directed:
                    return cls(claim, subject[:1].lower() + subject[1:], read.polarity)
        return cls(claim)

    def phrased(self, random: Random) -> tuple[str, int]:
        """A question on the matter, and its direction towards the claim, +1 or −1."""
        drawn = random.random()
        if self.subject and drawn < BARE:
            return self.subject, self.polarity
        if self.subject and drawn >= BARE + WORDED:
            sign = random.choice((1, -1))
            asks = random.choice(lines("sides")[f"questions {_SIDE[sign]}"])
            return phrasing(asks, self.subject), sign * self.polarity
        return asked(self.claim) if random.random() < 0.5 else self.claim, 1


@dataclass(frozen=True, slots=True)
class Sourced:
    """A text on a matter and its side of the claim, +1 or −1."""

    matter: Matter
    text: str
    side: int


def asked(claim: str) -> str:
    """A claim as a question, where it has a modal or copula: "Should we ban zoos?"."""
    found = re.match(r"^(.+?) (should|must|can|is|are) (.+)$", claim, re.IGNORECASE)
    if not found or len(found[1].split()) > 8:
        return claim
    first = found[1] if found[1].isupper() else found[1][:1].lower() + found[1][1:]
    return f"{found[2].capitalize()} {first} {found[3]}?"


def phrasing(pattern: str, subject: str, many: bool | None = None) -> str:
    """A phrasing over a subject; many: whether it is a plural, by default where it ends in s."""
    plural = subject.endswith("s") and not subject.endswith("ss") if many is None else many
    be, do, it = ("are", "do", "them") if plural else ("is", "does", "it")
    text = pattern.replace("{x}", subject).replace("{X}", subject[:1].upper() + subject[1:])
    for name, word in (("is", be), ("does", do), ("it", it)):
        text = text.replace(f"{{{name}}}", word)
        text = text.replace(f"{{{name.capitalize()}}}", word.capitalize())
    return text


def on_topics(data: Path, random: Random) -> dict[str, list[Sourced]]:
    """Short arguments by topic (IBM-ArgQ-Rank-30k)."""
    found = defaultdict(list)
    for one in rank_30k(data):
        found[one.topic].append(Sourced(Matter.of(one.topic), one.text, one.stance))
    return {topic: _some(found[topic], EACH["topic"], random) for topic in sorted(found)}


def on_titles(data: Path, random: Random) -> dict[str, list[Sourced]]:
    """Headlines and texts of points by the title of their debate (ArguAna).

    A debate has its name in its address alone, with short words left out: those whose name says
    what should be, in four words or more.
    """
    path = existing(data / POINTS)
    headlines, texts = defaultdict(list), defaultdict(list)
    for one in json.loads(decoded(path))["arguments"]:
        title, premise = one["context"]["sourceTitle"], one["premises"][0]
        claim = _HOUSE.sub("", title.lower()).replace("would ", "we should ", 1)
        if len(claim.split()) < 4 or claim == title.lower():
            continue
        matter, side = Matter.of(claim), 1 if one["stance"] == "PRO" else -1
        texts[title].append(Sourced(matter, premise["text"], side))
        if premise["stance"] == "PRO":
            headlines[title].append(Sourced(matter, one["conclusion"], side))
    return {
        title: _some(sorted(set(headlines[title]), key=str), EACH["headline"], random)
        + _some(texts[title], EACH["point"], random)
        for title in sorted(texts)
    }


def on_conclusions(data: Path, random: Random) -> dict[str, list[Sourced]]:
    """The beginnings of premises by their conclusion (args.me), where it has a direction."""
    found = defaultdict(list)
    for one in read(str(existing(data / CORPUS))):
        if one.conclusion and one.stance and read_claim(one.conclusion).directed:
            side = 1 if one.stance is Stance.PRO else -1
            found[one.conclusion].append(Sourced(Matter.of(one.conclusion), one.premise, side))
    return {claim: _some(found[claim], EACH["conclusion"], random) for claim in sorted(found)}


def on_subjects(topics: Iterable[str], random: Random) -> dict[str, list[SidePair]]:
    """Phrased questions and claims by their subject: those listed, and those of some topics."""
    patterns, names = lines("sides"), lexicon("sides")
    further = sorted({subject for topic in topics if (subject := Matter.of(topic).subject)})
    plural = dict.fromkeys(names["one"], False) | dict.fromkeys(names["many"], True)
    found = {}
    for subject in [*plural, *(one for one in further if one not in plural)]:
        pairs = []
        for _ in range(EACH["subject"]):
            of, to = random.choice((1, -1)), random.choice((1, -1))
            asks = ["{x}"] if random.random() < BARE / 2 else patterns[f"questions {_SIDE[of]}"]
            of = 1 if len(asks) == 1 else of
            words = (random.choice(asks), random.choice(patterns[f"claims {_SIDE[to]}"]))
            question, text = (phrasing(one, subject, plural.get(subject)) for one in words)
            pairs.append(SidePair(question, text, of * to))
        found[subject] = pairs
    return found


def _some(found: Sequence[Sourced], most: int, random: Random) -> list[Sourced]:
    return random.sample(list(found), min(most, len(found)))


@dataclass(frozen=True)
class Material:
    """Pairs to train on, and by their kind pairs to test on, of topics and subjects left out."""

    train: list[SidePair]
    tests: dict[str, list[SidePair]]


def material(data: Path, seed: int, near: Callable[[Sequence[str]], list[list[int]]]) -> Material:
    """All examples, shuffled; near: for each of some subjects the places of those most like it.

    Raises MaterialMissing where the folder lacks a file.
    """
    random = Random(seed)
    topics, titles = on_topics(data, random), on_titles(data, random)
    conclusions, subjects = on_conclusions(data, random), on_subjects(topics, random)
    held = {name: set(random.sample(sorted(of), min(TESTED, len(of) // 3))) for name, of in (
        ("topics", topics), ("titles", titles), ("subjects", subjects)
    )}  # fmt: skip
    held_roots = [_roots(Matter.of(topic).subject or topic) for topic in sorted(held["topics"])]
    tests: dict[str, list[SidePair]] = {name: [] for name in held}
    sourced: list[Sourced] = []
    pairs: list[SidePair] = []
    for name, of in (("topics", topics), ("titles", titles), ("conclusions", conclusions)):
        for key, found in of.items():
            if key in held.get(name, ()):
                tests[name] += [_pair(one, random) for one in found]
            elif name == "topics" or not _on_any(key, held_roots):
                sourced += found
    for subject, made in subjects.items():
        out = subject in held["subjects"] or _on_any(subject, held_roots)
        (tests["subjects"] if out else pairs).extend(made)
    pairs += [_pair(one, random) for one in sourced]
    pairs += others(pairs, sourced, random, near)
    random.shuffle(pairs)
    return Material(pairs, tests)


def others(
    pairs: Sequence[SidePair],
    sourced: Sequence[Sourced],
    random: Random,
    near: Callable[[Sequence[str]], list[list[int]]],
) -> list[SidePair]:
    """Questions beside texts on another subject, on neither side; half of them on a like one."""
    by_matter: dict[str, list[Sourced]] = defaultdict(list)
    for one in sourced:
        by_matter[one.matter.subject or one.matter.claim].append(one)
    subjects = sorted(by_matter)
    nearest, found = near(subjects), []
    for _ in range(int(NEITHER * len(pairs))):
        here = random.randrange(len(subjects))
        there = random.randrange(len(subjects))
        if random.random() < NEAR:
            there = random.choice(nearest[here])
        if not _roots(subjects[here]) & _roots(subjects[there]):
            question, _ = random.choice(by_matter[subjects[here]]).matter.phrased(random)
            text = random.choice(by_matter[subjects[there]]).text
            found.append(SidePair(question, cut_words(text), 0))
    return found


def _pair(one: Sourced, random: Random) -> SidePair:
    question, sign = one.matter.phrased(random)
    return SidePair(question, cut_words(one.text), sign * one.side)


def _roots(text: str) -> frozenset[str]:
    return frozenset(root(word) for word in re.findall(r"\w{4,}", text.lower()))


def _on_any(text: str, subjects: Iterable[frozenset[str]]) -> bool:
    """Whether a text has half of the words of one of some subjects, or more."""
    roots = _roots(text)
    return any(2 * len(roots & subject) >= len(subject) > 0 for subject in subjects)
