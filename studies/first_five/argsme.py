"""Twenty questions of Touché 2020 on the args.me subset, by labels of two judges who read them.

Labels (`judged.tsv`): topic, argument, and of each judge off (1: not on the question) and nothing
(1: no reason can be understood from it); a 1 counts where both gave it. A judge sees a question's
texts in a seeded order, not which system showed them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from argsearch.engine.results.results import Hit
from studies.first_five.systems import SYSTEMS, is_short, rankings
from studies.judgements import CORPUS, read_rows, titles
from studies.reader.lists import cut

LABELS = Path(__file__).with_name("judged.tsv")
COLUMNS = ("topic", "argument", "off", "nothing")
ASKED, SEED = 20, 15
HEADER = """\
| first five of 20 questions | places | short | off the question | argue nothing | none of these |
|---|---:|---:|---:|---:|---:|"""
INSTRUCTIONS = """\
Each question below was put to search engines for arguments; under it stand texts that they showed.
Judge each by itself. Long texts are cut: judge by what is here, and leave none out.

off      1: it is not about the question (another subject, or a neighbouring one that does not bear
            on it). 0: it is about the question, whatever its side.
nothing  1: no reason for or against anything can be understood from it (rules of a debate,
            "I accept", "vote for me", a joke, mere assertion or repetition). 0: it gives a reason,
            be it weak, rude or badly written.

Write a text file, its columns apart by one tab, this line first, then a line for each text:
"""

Labels = Mapping[tuple[str, str], tuple[bool, bool]]


@dataclass
class Lists:
    """The first five of every system, by topic, and the questions."""

    questions: dict[str, str]
    hits: dict[tuple[str, str], list[Hit]] = field(default_factory=dict)
    """By system and topic."""

    def pooled(self, topic: str) -> list[Hit]:
        """A question's texts of all systems, each once, in a seeded order."""
        found = {hit.id: hit for name in SYSTEMS for hit in self.hits[name, topic]}
        order = random.Random(f"{SEED} {topic}").sample(sorted(found), len(found))
        return [found[key] for key in order]


def make(data: Path) -> Lists:
    """Index the subset and search for the drawn questions."""
    topics = list(titles(data).items())
    asked = sorted(random.Random(SEED).sample(range(len(topics)), ASKED))
    lists = Lists(dict(topics[i] for i in asked))
    with rankings(data / CORPUS) as found:
        for name, system in SYSTEMS.items():
            for topic, question in lists.questions.items():
                lists.hits[name, topic] = found.first(system, question)
    return lists


def read_labels(path: Path = LABELS) -> Labels:
    """Labels by topic and argument: (off, nothing)."""
    return {
        (row["topic"], row["argument"]): (
            row["off a"] == "1" == row["off b"],
            row["nothing a"] == "1" == row["nothing b"],
        )
        for row in read_rows(path)
    }


def sheet(lists: Lists, labels: Labels) -> str:
    """The texts without a label, with instructions, for a judge with an editor."""
    blocks = [INSTRUCTIONS + "\t".join(COLUMNS) + "\n"]
    for topic, question in lists.questions.items():
        waiting = [hit for hit in lists.pooled(topic) if (topic, hit.id) not in labels]
        if waiting:
            blocks.append(f"{'=' * 78}\ntopic {topic}: {question}\n{'=' * 78}")
        for hit in waiting:
            conclusion = hit.argument.conclusion or "(none)"
            text = cut(hit.argument.premise)
            blocks.append(f"{'-' * 78}\n{topic}\t{hit.id}\nIts conclusion: {conclusion}\n{text}\n")
    return "\n".join(blocks)


def table(lists: Lists, labels: Labels) -> str:
    """The counts of every system; raises KeyError for a text without a label."""
    lines = [HEADER]
    for name in SYSTEMS:
        places = [(t, hit) for t in lists.questions for hit in lists.hits[name, t]]
        flags = [(is_short(hit), *labels[topic, hit.id]) for topic, hit in places]
        counts = [len(flags), *map(sum, zip(*flags, strict=True)), sum(not any(f) for f in flags)]
        lines.append(f"| {name} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def text(lists: Lists, labels: Labels) -> str:
    """The lists themselves, with the labels of each place."""
    lines = []
    for (name, topic), hits in lists.hits.items():
        lines.append(f"\n## {name}: {lists.questions[topic]}\n")
        for hit in hits:
            known = labels.get((topic, hit.id))
            said = "not judged" if known is None else f"off {known[0]:d}, nothing {known[1]:d}"
            start = " ".join(hit.argument.premise.split())[:300]
            lines.append(f"* {hit.id} ({said}) {hit.argument.conclusion or ''}: {start}")
    return "\n".join(lines)
