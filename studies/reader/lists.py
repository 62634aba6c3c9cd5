"""Make the lists to judge: several systems' first arguments on each side, pooled and mixed.

If a list is not full, probes are judged too, to find out which arguments the corpus has. Probes are
the best arguments of `default` for the subject in the corpus's own words. Their side is random.
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
"""Places in a side's list."""
PROBES = 10
"""Number of probes: arguments on a question's subject that are judged if a list is not full."""
SYSTEMS = ("dirichlet", "default", "meaning")
"""Configurations whose lists can be judged."""
BY_WORDS = ("dirichlet", "default")
SEED = 12
BEGINNING, END = 1_000, 450
"""Number of characters that a judge reads at the beginning and at the end of a long text."""


class UnknownLists(ArgsearchError):
    """Raised if a file does not contain valid lists."""


@dataclass(frozen=True, slots=True)
class Question:
    """A reader's question and its kinds."""

    id: str
    kinds: tuple[str, ...]
    text: str
    subject: str = ""
    """The question in a few words that the corpus has. No system sees them."""
    list: str = ""
    """Name of the list that it was written for."""


@dataclass(frozen=True, slots=True)
class Item:
    """An argument that a system shows on a side of a question, as a judge sees it."""

    id: str
    question: str
    side: str
    argument: str
    stance: str | None
    conclusion: str | None
    gist: str
    text: str
    """The premises, shortened if they are long."""
    words: int
    """Number of words in the whole premises."""


@dataclass(frozen=True)
class Lists:
    """The items to judge, and the systems that showed them."""

    about: dict[str, Any]
    """The index, the software and the settings of the lists."""
    questions: list[Question]
    claims: dict[str, str]
    """The claim that "for" supports, by question."""
    items: list[Item]
    """The items by question, in a random order within each question."""
    places: dict[str, dict[str, dict[str, list[str]]]]
    """Ids of items by system, question and side, best first."""

    def of(self, question: str) -> list[Item]:
        """Return a question's items, in their mixed order."""
        return [item for item in self.items if item.question == question]

    def write(self, path: Path) -> None:
        """Write the lists as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False), "utf-8")

    @classmethod
    def read(cls, path: Path) -> Lists:
        """Read lists that `write` wrote. Raises UnknownLists."""
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


def questions(path: Path = QUESTIONS, named: Sequence[str] = ()) -> list[Question]:
    """Read the questions of a file, of all lists or only of the lists with these names."""
    every = [
        Question(r["id"], tuple(r["kinds"].split()), r["question"], r["subject"], r.get("list", ""))
        for r in read_rows(path)
    ]
    known = dict.fromkeys(one.list for one in every)
    if unknown := set(named) - set(known):
        raise ValueError(f"there is no list {', '.join(unknown)}; the lists are {', '.join(known)}")
    return [one for one in every if not named or one.list in named]


def cut(text: str) -> str:
    """Return a text's beginning and end, cut at spaces, or the whole text if it is short."""
    if len(text) <= BEGINNING + END:
        return text
    head = text[: BEGINNING + 1].rsplit(maxsplit=1)[0]
    tail = text[-END - 1 :].split(maxsplit=1)[-1]
    left = len(text) - len(head) - len(tail)
    return f"{head} [… {left:,} characters left out …] {tail}"


def shown(engine: Engine, question: str, side: str, system: str) -> Answer:
    """Return the first arguments on a side as the page shows them, collapsed if the index can."""
    collapse = "near_duplicates" in engine.parts
    results = engine.search(
        question, k=FIRST, config=system, side=side, sides=True, collapse=collapse, spread=True
    )
    return Answer(engine, results)


def make(engine: Engine, asked: Sequence[Question], systems: Sequence[str] = BY_WORDS) -> Lists:
    """Return the lists of some SYSTEMS, with their items pooled and mixed in a seeded order."""
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
    """Merge the lists that several versions made for the same questions, and mix them again.

    The version becomes part of a system's name. An argument with different snippets is there once
    with each snippet. Raises ValueError if the questions or the meanings of "for" differ.
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
    """Return the best arguments for a question's subject, and the gist of each for the question."""
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
    """Return the claim of "for" as the page says it, or nothing if "for" means yes."""
    return "" if "directed" in question.kinds else StanceModel.load().claim(question.text).reading


def _about(engine: Engine, systems: Sequence[str]) -> dict[str, Any]:
    info = engine.info
    return {
        "corpus": info.manifest["corpus"]["name"],
        "fingerprint": info.fingerprint,
        "software": info.manifest["software"],
        "systems": list(systems),
        "collapsed": "near_duplicates" in engine.parts,
    }
