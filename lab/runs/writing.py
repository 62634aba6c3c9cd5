"""Run files as trec_eval reads them: `qid Q0 docid rank score tag`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.runs.text import RunFormatError, replacing

Ties = Literal["id", "trec_eval"]
"""Order of equal scores: by id upwards, or downwards as trec_eval reads them."""


def write_run(
    path: str | Path,
    rankings: Iterable[Sequence[Any]],
    tag: str,
    *,
    ties: Ties = "id",
) -> int:
    """Write a run file (`.gz` by name) aside, rename it into place, return its number of lines.

    `rankings` yields (query id, document ids, scores), which may be generated one by one; a fourth
    member, where there is one, says what stands in each line's second column (else Q0). Lines are
    ordered by score, then id: upwards, or downwards as trec_eval does (`ties`). Scores strictly
    decrease as written, also in the single precision that trec_eval keeps them in: where they would
    not, a score is lowered to the next smaller single-precision number. Raises RunFormatError for a
    repeated query or document, a NaN or infinite score and an id with white space.
    """
    if not tag or tag.split() != [tag]:
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


def _check(path: str | Path, query_id: str, ids: Sequence[str], scores: Sequence[float]) -> None:
    if len(ids) != len(scores):
        problem = f"topic {query_id!r} has {len(ids)} documents and {len(scores)} scores"
        raise RunFormatError(path, None, problem)
    for word in (query_id, *ids):
        if word.split() != [word]:
            problem = f"id {word!r} is empty or holds white space, which a run file cannot carry"
            raise RunFormatError(path, None, problem)
    if len(set(ids)) != len(ids):
        twice = next(doc for doc in ids if list(ids).count(doc) > 1)
        problem = f"document {twice!r} is there twice in topic {query_id!r}"
        raise RunFormatError(path, None, problem)
    for doc, score in zip(ids, scores, strict=True):
        if not math.isfinite(score):
            problem = f"score {score} of document {doc!r} in topic {query_id!r} is not finite"
            raise RunFormatError(path, None, problem)


def ranked(
    ids: Sequence[str], scores: Sequence[float], ties: Ties = "id"
) -> list[tuple[float, str]]:
    """(score, id) in the order that a run is written in: score down, equal scores by `ties`."""
    import numpy as np

    rows = list(zip(map(float, scores), ids, strict=True))
    if ties == "id":
        return sorted(rows, key=lambda row: (-row[0], row[1]))
    with np.errstate(over="ignore"):
        single = np.array([score for score, _ in rows], np.float32).tolist()
    order = sorted(range(len(rows)), key=lambda i: (single[i], rows[i][1]), reverse=True)
    return [rows[i] for i in order]


def _lowered(rows: Sequence[tuple[float, str]]) -> Iterator[tuple[str, str]]:
    """(id, score as text), each score below the one before in single precision."""
    import numpy as np

    last = np.float32(np.inf)
    lowest = np.float32(-np.inf)
    for score, doc in rows:
        with np.errstate(over="ignore"):
            single = np.float32(score)
        if single < last:
            last, text = single, repr(score)
        else:
            last = np.nextafter(last, lowest)
            text = str(last)
        if not math.isfinite(last):
            raise RunFormatError("run", None, f"score {score} of {doc!r} leaves single precision")
        yield doc, text
