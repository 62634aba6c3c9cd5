"""Run files: a strict reader that says where a file is wrong and counts what it forgave."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from math import isfinite
from pathlib import Path
from sys import intern

from argsearch.lab.runs.text import Remarks, RunFormatError, Table, tables

RUN_FORM = "qid Q0 docid rank score tag"


@dataclass(frozen=True, slots=True)
class TopicRanking:
    """One topic's documents in trec_eval's order: score (single precision) down, then id down."""

    ids: list[str]
    scores: array[float]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Run:
    """A run file: its rankings by query id, its tag, and what its reader remarked."""

    path: str
    tag: str
    rankings: Mapping[str, TopicRanking]
    remarks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Part:
    line: int
    ids: list[str] = field(default_factory=list)
    scores: array[float] = field(default_factory=lambda: array("d"))
    ranks: array[int] = field(default_factory=lambda: array("q"))


def read_run(path: str | Path) -> Run:
    """Read a run file (plain, `.gz`, `.xz`, `.bz2`); 10 million lines take some twenty
    seconds and 0.6 GB.

    Raises RunFormatError with the line number for a wrong number of columns, a score that is no
    finite number, a document twice in a topic, text that is not UTF-8 and an empty file. What
    trec_eval accepts is accepted and counted in `remarks`: tied scores, lines or ranks that
    disagree with the scores, CRLF, a byte-order mark, blank lines, several tags.
    """
    remarks = Remarks(str(path))
    parts: dict[str, _Part] = {}
    tags: dict[str, int] = {}
    for table in tables(path, RUN_FORM, remarks):
        _add(table, parts, path, remarks)
        for tag in dict.fromkeys(table.columns[5]):
            tags.setdefault(tag, table.numbers[table.columns[5].index(tag)])
    if not parts:
        raise RunFormatError(path, None, f"holds no lines `{RUN_FORM}`")
    if len(tags) > 1:
        remarks.add("different run tags in one file", list(tags.values())[1], len(tags))
    rankings = {query: _ranking(query, part, path, remarks) for query, part in parts.items()}
    return Run(str(path), next(iter(tags)), rankings, remarks.lines())


def _add(table: Table, parts: dict[str, _Part], path: str | Path, remarks: Remarks) -> None:
    queries, _, docs, rank_words, score_words, _ = table.columns
    scores = _scores(table, score_words, path)
    ranks = _ranks(table, rank_words, remarks)
    start = 0
    for query, same in groupby(queries):
        stop = start + sum(1 for _ in same)
        part = parts.get(query)
        if part is None:
            part = parts[intern(query)] = _Part(table.numbers[start])
        part.ids.extend(map(intern, docs[start:stop]))
        part.scores.extend(scores[start:stop])
        part.ranks.extend(ranks[start:stop])
        start = stop


def _scores(table: Table, words: Sequence[str], path: str | Path) -> array[float]:
    try:
        scores = array("d", map(float, words))
    except ValueError:
        scores = array("d")
    if scores and all(map(isfinite, scores)) and "_" not in "".join(words):
        return scores
    for number, word in zip(table.numbers, words, strict=True):
        try:
            wrong = "_" in word or not isfinite(float(word))
        except ValueError:
            wrong = True
        if wrong:
            raise RunFormatError(path, number, f"score {word!r} is not a finite number")
    raise AssertionError("unreachable")  # pragma: no cover


def _ranks(table: Table, words: Sequence[str], remarks: Remarks) -> array[int]:
    try:
        return array("q", map(int, words))
    except (ValueError, OverflowError):
        wrong = [n for n, word in zip(table.numbers, words, strict=True) if not word.isdecimal()]
        remarks.add(
            "ranks that are no whole numbers, not used", wrong[0] if wrong else 1, len(wrong)
        )
        return array("q", range(1, len(words) + 1))


def _ranking(query: str, part: _Part, path: str | Path, remarks: Remarks) -> TopicRanking:
    if len(set(part.ids)) != len(part.ids):
        raise _duplicate(query, path)
    single = array("f", part.scores)
    rising = all(map(operator.lt, part.ranks, part.ranks[1:]))
    if all(map(operator.gt, single, single[1:])) and rising:
        return TopicRanking(part.ids, part.scores)
    order = sorted(range(len(single)), key=lambda i: (single[i], part.ids[i]), reverse=True)
    ties = sum(single[a] == single[b] for a, b in pairwise(order))
    remarks.add(
        "scores tied in their topic, ordered by id downwards as trec_eval does", part.line, ties
    )
    by_rank = [single[i] for i in sorted(range(len(single)), key=part.ranks.__getitem__)]
    if any(map(operator.lt, by_rank, by_rank[1:])) or len(set(part.ranks)) != len(part.ranks):
        remarks.add("topics whose ranks disagree with the scores, ordered by score", part.line)
    elif not all(map(operator.ge, single, single[1:])):
        remarks.add("topics whose lines are out of order, ordered by score", part.line)
    return TopicRanking([part.ids[i] for i in order], array("d", (part.scores[i] for i in order)))


def _duplicate(query: str, path: str | Path) -> RunFormatError:
    seen: dict[str, int] = {}
    for table in tables(path, RUN_FORM, Remarks(str(path))):
        for number, word, doc in zip(
            table.numbers, table.columns[0], table.columns[2], strict=True
        ):
            if word == query and doc in seen:
                problem = (
                    f"document {doc!r} is there twice in topic {query!r} (also line {seen[doc]})"
                )
                return RunFormatError(path, number, problem)
            if word == query:
                seen[doc] = number
    return RunFormatError(path, None, f"topic {query!r} holds a document twice")
