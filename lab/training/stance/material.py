"""What the stance model learns from: sided short arguments, and sided pairs of a corpus."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import ArgsearchError
from argsearch.lab.judgements.tables import decoded, files_of, table, words

ARGUMENTS = "ibm/argq-rank-30k/arg_quality_rank_30k.csv.xz"
MORE = "ibm/argq-toledo2019.tar.xz"
CORPUS = "argsme-subset/args-me-subset.json.xz"
PAIRS = Path(__file__).with_name("sided.tsv")
"""Labelled (question, argument) pairs of the corpus: titles of Touché 2020, development data."""
SUBJECTS = Path(__file__).with_name("subjects.tsv")
"""Questions, a pattern of the conclusions on their subject, and their best hits (of `default`)."""
SURE = 0.8
"""Least confidence of a stance that is learnt from (IBM-ArgQ-Rank-30k, stance_WA_conf)."""


@dataclass(frozen=True, slots=True)
class SidedText:
    """A short argument and its stance, +1 or −1, towards its topic."""

    topic: str
    text: str
    stance: int


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A question, an argument and where it stands: `for`, `against` or `neither`."""

    question: str
    argument: Argument
    label: str


@dataclass(frozen=True, slots=True)
class QuestionHits:
    """A question, its best hits, and which of them have a conclusion on its subject."""

    question: str
    arguments: tuple[Argument, ...]
    on: tuple[bool, ...]


class MaterialMissing(ArgsearchError):
    """The folder of training data lacks a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"no file {str(path)!r}; --data is the folder that holds {ARGUMENTS}, {MORE} "
            f"and {CORPUS}"
        )


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise MaterialMissing(path)
    return path


def rank_30k(data: Path) -> list[SidedText]:
    """IBM-ArgQ-Rank-30k: the arguments whose stance is sure."""
    path = _existing(data / ARGUMENTS)
    columns = ("topic", "argument", "stance_WA", "stance_WA_conf")
    return [
        SidedText(topic, text, int(stance))
        for topic, text, stance, sure in table(path, decoded(path), columns)
        if stance in ("1", "-1") and float(sure) >= SURE
    ]


def toledo(data: Path) -> list[SidedText]:
    """IBM-ArgQ-6.3kArgs: each file's name is the claim that its arguments speak for."""
    source = _existing(data / MORE)
    return [
        SidedText(words(name.rsplit("(", 1)[0]), text, 1)
        for name, content in files_of(source, "6.3kArgs", ".tsv")
        for (text,) in table(source, content, ("argument",), "\t")
    ]


def read_pairs(labels: Path, corpus: Path) -> list[LabelledPair]:
    """Labelled pairs (tab-separated: question, argument, label) with the corpus' arguments."""
    from argsearch.indexer.corpus import read

    rows = list(read_labels(labels))
    wanted = {argument for _, argument, _ in rows}
    arguments = {one.id: one for one in read(str(_existing(corpus))) if one.id in wanted}
    return [LabelledPair(question, arguments[id], label) for question, id, label in rows]


def read_subjects(labels: Path, corpus: Path) -> list[QuestionHits]:
    """Questions (tab-separated: question, pattern, ids of the hits) with the corpus' arguments.

    No pattern: the corpus has no argument on the subject.
    """
    from argsearch.indexer.corpus import read

    with labels.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    wanted = {id for row in rows for id in row["arguments"].split()}
    arguments = {one.id: one for one in read(str(_existing(corpus))) if one.id in wanted}
    found = []
    for row in rows:
        hits = tuple(arguments[id] for id in row["arguments"].split())
        about = re.compile(row["pattern"] or "(?!)", re.IGNORECASE)
        on = tuple(about.search(hit.conclusion or "") is not None for hit in hits)
        found.append(QuestionHits(row["question"], hits, on))
    return found


def read_labels(labels: Path) -> Iterator[tuple[str, str, str]]:
    """(question, argument's id, label) of each row."""
    with labels.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            yield row["question"], row["argument"], row["label"]
