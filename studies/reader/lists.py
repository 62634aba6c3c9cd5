"""The lists to judge: the first arguments a side of several systems, pooled, mixed and hidden.

Where a list is not full, others are judged too (probes), so that it is known what the corpus has:
the best of `default` for the question's subject in the corpus' own words. They get a random side.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.text.gist import gists
from argsearch.engine.text.snippet import word_weights
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import ArgsearchError

QUESTIONS = Path(__file__).with_name("questions.tsv")
SIDES = ("for", "against")
FIRST = 5
"""Places a side."""
PROBES = 10
"""Arguments on a question's subject that are judged where a list is not full."""
SYSTEMS = ("dirichlet", "default", "meaning")
"""Configurations whose lists can be judged."""
BY_WORDS = ("dirichlet", "default")
SEED = 12
BEGINNING, END = 1_000, 450
"""Characters of a long text that a judge reads."""


class UnknownLists(ArgsearchError):
    """A file that holds no lists, or other ones."""


@dataclass(frozen=True, slots=True)
class Question:
    """A reader's question, and of which kinds it is."""

    id: str
    kinds: tuple[str, ...]
    text: str
    subject: str = ""
    """The same in a few words that the corpus has; no system sees it."""


@dataclass(frozen=True, slots=True)
class Item:
    """An argument on a side of a question, where some system shows it; what a judge sees of it."""

    id: str
    question: str
    side: str
    argument: str
    stance: str | None
    conclusion: str | None
    gist: str
    text: str
    """The premises, cut where they are long."""
    words: int
    """How many the whole premises have."""


@dataclass(frozen=True)
class Lists:
    """What is judged, and which system showed what."""

    about: dict[str, Any]
    """The index, the software and how the lists were made."""
    questions: list[Question]
    claims: dict[str, str]
    """What "for" means, by question."""
    items: list[Item]
    """By question, mixed within it."""
    places: dict[str, dict[str, dict[str, list[str]]]]
    """The items' ids by system, question and side, best first."""

    def of(self, question: str) -> list[Item]:
        """A question's items, in their mixed order."""
        return [item for item in self.items if item.question == question]

    def write(self, path: Path) -> None:
        """Write all as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False), "utf-8")

    @classmethod
    def read(cls, path: Path) -> Lists:
        """Read what `write` wrote; raises UnknownLists."""
        try:
            all = json.loads(path.read_text("utf-8"))
            items = [Item(**item) for item in all.pop("items")]
            asked = [Question(**{**q, "kinds": tuple(q["kinds"])}) for q in all.pop("questions")]
            return cls(questions=asked, items=items, **all)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UnknownLists(
                f"{path} holds no lists ({error}); write them with `studies.reader lists`"
            ) from error


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read the rows of a tab-separated file with a header."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def questions(path: Path = QUESTIONS) -> list[Question]:
    """The questions that ship with the benchmark."""
    return [
        Question(r["id"], tuple(r["kinds"].split()), r["question"], r["subject"])
        for r in read_rows(path)
    ]


def cut(text: str) -> str:
    """A text's beginning and end, at spaces; a short text is whole."""
    if len(text) <= BEGINNING + END:
        return text
    head = text[: BEGINNING + 1].rsplit(maxsplit=1)[0]
    tail = text[-END - 1 :].split(maxsplit=1)[-1]
    left = len(text) - len(head) - len(tail)
    return f"{head} [… {left:,} characters left out …] {tail}"


def shown(engine: Engine, question: str, side: str, system: str) -> Answer:
    """The first arguments that the page shows on a side, collapsed where that is known."""
    collapse = "near_duplicates" in engine.parts
    results = engine.search(
        question, k=FIRST, config=system, side=side, sides=True, collapse=collapse, spread=True
    )
    return Answer(engine, results)


def make(engine: Engine, asked: Sequence[Question], systems: Sequence[str] = BY_WORDS) -> Lists:
    """The lists of some SYSTEMS, their items pooled and mixed in a seeded order."""
    rng = random.Random(SEED)
    items, claims = list[Item](), dict[str, str]()
    places: dict[str, dict[str, dict[str, list[str]]]] = {name: {} for name in systems}
    for question in asked:
        answers = {
            (system, side): shown(engine, question.text, side, system)
            for system in systems
            for side in SIDES
        }
        lists = {key: answer.hits for key, answer in answers.items()}
        pooled = {
            (side, hit.argument.id): (hit.argument, hit.sentence.text)
            for (_, side), hits in lists.items()
            for hit in hits
        }
        if any(len(hits) < FIRST for hits in lists.values()):
            there = {argument for _, argument in pooled}
            for argument, gist in probes(engine, question):
                if argument.id not in there:
                    pooled[rng.choice(SIDES), argument.id] = argument, gist
        keys = rng.sample(sorted(pooled), len(pooled))
        ids = {key: f"{question.id}.{place}" for place, key in enumerate(keys, 1)}
        items += [_item(ids[key], question, key[0], *pooled[key]) for key in keys]
        for system in systems:
            places[system][question.id] = {
                side: [ids[side, hit.hit.id] for hit in lists[system, side]] for side in SIDES
            }
        claims[question.id] = _claim(question)
    return Lists(_about(engine, systems), list(asked), claims, items, places)


def pooled(versions: Mapping[str, Lists]) -> Lists:
    """The lists that several versions made for the same questions, as one, mixed anew.

    A system is called after its version, too; what "for" means is the last version's. An argument
    whose snippet differs stands there once with each. Raises ValueError if the questions differ.
    """
    *_, last = versions.values()
    if any(one.questions != last.questions for one in versions.values()):
        raise ValueError("the lists are of different questions; allowed: the same, in one order")
    if any(one.claims != last.claims for one in versions.values()):
        raise ValueError("“for” means other claims in one version; allowed: versions that agree")
    rng = random.Random(SEED)
    items, names = list[Item](), dict[tuple[str, str], str]()
    for question in last.questions:
        here = {
            (item.side, item.argument, item.gist): (version, item)
            for version, one in versions.items()
            for item in one.of(question.id)
        }
        mixed = {key: place for place, key in enumerate(rng.sample(sorted(here), len(here)), 1)}
        for version, one in versions.items():
            for item in one.of(question.id):
                place = mixed[item.side, item.argument, item.gist]
                names[version, item.id] = f"{question.id}.{place}"
        items += [replace(here[key][1], id=f"{question.id}.{mixed[key]}") for key in mixed]
    places = {
        f"{system}, {version}": {
            question: {side: [names[version, id] for id in ids] for side, ids in sides.items()}
            for question, sides in asked.items()
        }
        for version, one in versions.items()
        for system, asked in one.places.items()
    }
    about = {version: one.about for version, one in versions.items()}
    return Lists(about, last.questions, last.claims, items, places)


def probes(engine: Engine, question: Question) -> list[tuple[Argument, str]]:
    """The best arguments for a question's subject, and the gist of each for the question."""
    collapse = "near_duplicates" in engine.parts
    found = [
        hit.argument for hit in engine.search(question.subject, k=PROBES, collapse=collapse).hits
    ]
    texts = [[premise.text for premise in argument.premises] for argument in found]
    words = word_weights(question.text, engine.backend)
    shown = gists(question.text, texts, words, engine.encoder)
    return [(argument, gist.text) for argument, gist in zip(found, shown, strict=True)]


def _item(id: str, question: Question, side: str, argument: Argument, gist: str) -> Item:
    text = "\n\n".join(premise.text.strip() for premise in argument.premises)
    stance = argument.stance and argument.stance.value
    return Item(
        id=id,
        question=question.id,
        side=side,
        argument=argument.id,
        stance=stance,
        conclusion=argument.conclusion,
        gist=gist,
        text=cut(text),
        words=len(text.split()),
    )


def _claim(question: Question) -> str:
    """What "for" means, as the page says; nothing where it means yes to the question."""
    return "" if "directed" in question.kinds else StanceModel.load().claim(question.text).reading


def _about(engine: Engine, systems: Sequence[str]) -> dict[str, Any]:
    info = engine.info
    return {
        "corpus": info.manifest["corpus"]["name"],
        "fingerprint": info.fingerprint,
        "software": info.manifest["software"],
        "systems": list(systems),
        "first": FIRST,
        "probes": PROBES,
        "collapsed": "near_duplicates" in engine.parts,
        "seed": SEED,
    }
