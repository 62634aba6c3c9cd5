"""What naive code of a published figure needs: the page's cell, the judgements of 2020, nDCG."""

from __future__ import annotations

import math
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text(encoding="utf-8")


def cell(system: str, table: str, row: str, column: str) -> str:
    """What the page has in one cell of a table: of several columns of a name the first."""
    block = PAGE.split(f"<!-- {system}: {table} -->")[1]
    head, _, *rows = (line for line in block.splitlines() if line.startswith("|"))
    cells = next(line for line in rows if line.startswith(f"| {row} |")).strip("| ").split(" | ")
    return cells[head.strip("|").split("|").index(f" {column} ")]


def words(text: str) -> list[str]:
    """The standard analyzer's tokens of English text."""
    return re.findall(r"[^\W_]+(?:['’.][^\W_]+)*", text.lower())


def stored(length: int) -> int:
    """A length as Lucene's byte keeps it: four significant bits, exact below 40."""
    if length < 40:
        return length
    shift = (length - 24).bit_length() - 4
    return 24 + ((length - 24) >> shift << shift)


def dcg(gains: list[int]) -> float:
    """Σ g / log₂(i + 1)."""
    return sum(gain / math.log2(i + 2) for i, gain in enumerate(gains))


def ndcg(shown: list[str], judged: dict[str, int], k: int) -> float:
    """nDCG@k of documents, best first; the ideal is of all that were judged, 0 where it is 0."""
    ideal = dcg(sorted(judged.values(), reverse=True)[:k])
    return dcg([judged.get(document, 0) for document in shown[:k]]) / ideal if ideal else 0.0
