"""Read TREC run files and judgements (qrels) strictly, and write runs in trec_eval's order.

Errors name the file and line. Accepted deviations are counted.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isfinite, nan
from pathlib import Path
from sys import intern
from typing import Any, Literal

from argsearch.indexer.errors import InvalidParameter, short
from argsearch.lab.runs.text import Remarks, RunFormatError, has_lone_surrogate, replacing, rows

RUN_FORM = "qid Q0 docid rank score tag"
QRELS_FORM = "qid iteration docid grade"
"""The iteration is usually 0. For a topic with several subtopics, it names the subtopic."""
LARGEST_GRADE = 1_000_000
"""Largest absolute grade. trec_eval keeps a counter for each grade up to the largest."""
Ties = Literal["id", "trec_eval"]
"""Order of equal scores: ascending by id, or descending as in trec_eval."""


@dataclass(frozen=True, slots=True)
class TopicRanking:
    """Documents of a topic in trec_eval's order: score (single precision) descending, then id."""

    ids: list[str]
    scores: array[float]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Run:
    """A run file: its rankings by query id, its tag, and remarks from reading it."""

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
    """Read a run file (plain, `.gz`, `.xz`, `.bz2`).

    10 million lines take about twenty seconds and 0.6 GB.

    Raises RunFormatError, with the line number, for a wrong number of columns, a score that is not
    finite, a document repeated in a topic, invalid UTF-8, or an empty file. The attribute `remarks`
    counts deviations that trec_eval accepts: tied scores, lines or ranks that disagree with the
    scores, CRLF, a byte-order mark, blank lines, and several tags.
    """
    remarks = Remarks(str(path))
    parts: dict[str, _Part] = {}
    tags: dict[str, int] = {}
    for number, (query, _, doc, rank, score, tag) in rows(path, RUN_FORM, remarks):
        if (part := parts.get(query)) is None:
            part = parts[query] = _Part(number)
        value = _value(score)
        if not isfinite(value):
            raise RunFormatError(path, number, f"the score must be a finite number, not {score!r}")
        # Intern ids, because the same ids recur in other topics and runs.
        part.ids.append(intern(doc))
        part.scores.append(value)
        try:
            part.ranks.append(int(rank))
        except (ValueError, OverflowError):
            remarks.add("ranks that are not whole numbers (ignored)", number)
            part.ranks.append(len(part.ids))
        tags.setdefault(tag, number)
    if not parts:
        raise RunFormatError(path, None, f"the file has no lines of the form `{RUN_FORM}`")
    if len(tags) > 1:
        remarks.add("different run tags in one file", list(tags.values())[1], len(tags))
    rankings = {query: _ranking(query, part, path, remarks) for query, part in parts.items()}
    return Run(str(path), next(iter(tags)), rankings, remarks.lines())


def _value(word: str) -> float:
    """Return the number in a word, or NaN. `1_000`, which only Python accepts, gives NaN too."""
    try:
        return nan if "_" in word else float(word)
    except ValueError:
        return nan


def _ranking(query: str, part: _Part, path: str | Path, remarks: Remarks) -> TopicRanking:
    if len(set(part.ids)) != len(part.ids):
        raise _duplicate(query, path)
    # Use single precision as in trec_eval, so that ties are the same.
    single = array("f", part.scores)
    rising = all(map(operator.lt, part.ranks, part.ranks[1:]))
    if all(map(operator.gt, single, single[1:])) and rising:
        return TopicRanking(part.ids, part.scores)
    order = sorted(range(len(single)), key=lambda i: (single[i], part.ids[i]), reverse=True)
    ties = sum(single[a] == single[b] for a, b in pairwise(order))
    tied = "scores tied within their topic, ordered by descending id as trec_eval does"
    remarks.add(tied, part.line, ties)
    by_rank = [single[i] for i in sorted(range(len(single)), key=part.ranks.__getitem__)]
    if any(map(operator.lt, by_rank, by_rank[1:])) or len(set(part.ranks)) != len(part.ranks):
        remarks.add("topics whose ranks disagree with the scores (sorted by score)", part.line)
    elif not all(map(operator.ge, single, single[1:])):
        remarks.add("topics whose lines are out of order (sorted by score)", part.line)
    return TopicRanking([part.ids[i] for i in order], array("d", (part.scores[i] for i in order)))


def _duplicate(query: str, path: str | Path) -> RunFormatError:
    # Read the file again: storing every line's number would cost memory for valid files too.
    seen: dict[str, int] = {}
    for number, (word, _, doc, *_) in rows(path, RUN_FORM, Remarks(str(path))):
        if word == query and seen.setdefault(doc, number) != number:
            twice = f"document {doc!r} appears twice in topic {query!r}"
            return RunFormatError(path, number, f"{twice} (also line {seen[doc]})")
    return RunFormatError(path, None, f"topic {query!r} lists a document twice")


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgements: query id → document id → grade, an integer that may be negative.

    If a topic has several subtopics, `subtopics` has their grades (query id → subtopic → document
    id → grade), and `grades` has the highest grade of each document.
    """

    path: str
    grades: Mapping[str, Mapping[str, int]]
    remarks: list[str] = field(default_factory=list)
    subtopics: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)

    def not_negative(self) -> dict[str, dict[str, int]]:
        """Return the grades, with 0 for negative grades (spam, no argument) as in trec_eval."""
        return {
            query: {doc: max(0, grade) for doc, grade in grades.items()}
            for query, grades in self.grades.items()
        }


def read_qrels(path: str | Path) -> Qrels:
    """Read a file of judgements (plain, `.gz`, `.xz`, `.bz2`).

    Raises RunFormatError, with the line number, for a wrong number of columns, a grade that is not
    an integer within LARGEST_GRADE, contradictory grades, or an empty file. The attribute `remarks`
    counts accepted deviations: grades such as `4.0`, a judgement repeated with the same grade,
    CRLF, a byte-order mark, blank lines, and negative grades.
    """
    remarks = Remarks(str(path))
    subtopics: dict[str, dict[str, dict[str, int]]] = {}
    for number, (query, subtopic, doc, word) in rows(path, QRELS_FORM, remarks):
        grade = _grade(number, word, path, remarks)
        judged = subtopics.setdefault(query, {}).setdefault(subtopic, {})
        if doc in judged:
            if judged[doc] != grade:
                which = f"document {doc!r} of topic {query!r}"
                problem = f"{which} has the grades {judged[doc]} and {grade}"
                raise RunFormatError(path, number, problem)
            remarks.add("judgements repeated with the same grade", number)
        judged[intern(doc)] = grade
        if grade < 0:
            remarks.add("negative grades, which count as 0", number)
    if not subtopics:
        raise RunFormatError(path, None, f"the file has no lines of the form `{QRELS_FORM}`")
    grades: dict[str, dict[str, int]] = {query: {} for query in subtopics}
    for query, parts in subtopics.items():
        for judged in parts.values():
            for doc, grade in judged.items():
                grades[query][doc] = max(grade, grades[query].get(doc, grade))
    several = any(len(parts) > 1 for parts in subtopics.values())
    return Qrels(str(path), grades, remarks.lines(), subtopics if several else {})


def _grade(number: int, word: str, path: str | Path, remarks: Remarks) -> int:
    if not _value(word).is_integer() or abs(_value(word)) > LARGEST_GRADE:
        allowed = f"a whole number from {-LARGEST_GRADE:,} to {LARGEST_GRADE:,}"
        raise RunFormatError(path, number, f"the grade must be {allowed}, not {short(word)!r}")
    if not word.lstrip("+-").isdecimal():
        remarks.add("grades with a decimal point, read as whole numbers", number)
    return int(_value(word))


def write_run(
    path: str | Path,
    rankings: Iterable[Sequence[Any]],
    tag: str,
    *,
    ties: Ties = "id",
) -> int:
    """Write a run file atomically, gzipped if its name ends in `.gz`. Return its number of lines.

    Args: rankings: yields (query id, document ids, scores), and optionally the second column of
    each line (default Q0). Lines are sorted by score, then by id: ascending, or descending as in
    trec_eval (`ties`). Written scores strictly decrease, even in trec_eval's single precision. If
    necessary, a score is lowered to the next smaller single-precision number. Raises RunFormatError
    for a repeated query or document, a score that is not finite, or an id with white space.
    """
    if not _is_word(tag):
        raise InvalidParameter("tag", tag, "one word without spaces")
    seen: set[str] = set()
    lines = 0
    with replacing(path) as stream:
        for query_id, ids, scores, *columns in rankings:
            if query_id in seen:
                raise RunFormatError(path, None, f"topic {query_id!r} is ranked twice")
            seen.add(query_id)
            _check(path, query_id, ids, scores)
            second = dict(zip(ids, *columns, strict=True)) if columns else {}
            rows = [
                f"{query_id} {second.get(doc, 'Q0')} {doc} {rank} {score} {tag}\n"
                for rank, (doc, score) in enumerate(_lowered(ranked(ids, scores, ties)), 1)
            ]
            stream.write("".join(rows).encode())
            lines += len(rows)
    return lines


def _is_word(text: str) -> bool:
    # The name of a file that is not UTF-8 contains lone surrogates.
    return text.split() == [text] and not has_lone_surrogate(text)


def _check(path: str | Path, query_id: str, ids: Sequence[str], scores: Sequence[float]) -> None:
    if len(ids) != len(scores):
        problem = f"topic {query_id!r} has {len(ids)} documents and {len(scores)} scores"
        raise RunFormatError(path, None, problem)
    for word in (query_id, *ids):
        if not _is_word(word):
            problem = f"the id {word!r} must be a word without white space or lone surrogates"
            raise RunFormatError(path, None, problem)
    if len(set(ids)) != len(ids):
        twice = next(doc for doc in ids if list(ids).count(doc) > 1)
        problem = f"document {twice!r} appears twice in topic {query_id!r}"
        raise RunFormatError(path, None, problem)
    for doc, score in zip(ids, scores, strict=True):
        if not isfinite(score):
            problem = f"score {score} of document {doc!r} in topic {query_id!r} is not finite"
            raise RunFormatError(path, None, problem)


def ranked(
    ids: Sequence[str], scores: Sequence[float], ties: Ties = "id"
) -> list[tuple[float, str]]:
    """Return (score, id) in a run file's order: by descending score, and equal scores by `ties`."""
    import numpy as np

    rows = list(zip(map(float, scores), ids, strict=True))
    if ties == "id":
        return sorted(rows, key=lambda row: (-row[0], row[1]))
    # A score that is too large for single precision becomes infinite. `_lowered` rejects it.
    with np.errstate(over="ignore"):
        single = np.array([score for score, _ in rows], np.float32).tolist()
    order = sorted(range(len(rows)), key=lambda i: (single[i], rows[i][1]), reverse=True)
    return [rows[i] for i in order]


def _lowered(rows: Sequence[tuple[float, str]]) -> Iterator[tuple[str, str]]:
    """Yield (id, score as text), each score below the previous one in single precision."""
    import numpy as np

    last, lowest = np.float32(inf), np.float32(-inf)
    for score, doc in rows:
        with np.errstate(over="ignore"):
            single = np.float32(score)
        if single < last:
            last, text = single, repr(score)
        else:
            last = np.nextafter(last, lowest)
            text = str(last)
        if not isfinite(last):
            raise RunFormatError("run", None, f"the score {score} of {doc!r} is too small or large")
        yield doc, text
