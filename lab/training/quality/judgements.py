"""Judged arguments, in the form of Webis-ArgQuality-20."""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError

COLUMNS = ("Topic ID", "Premise", "Is Argument?", "Combined Quality")
"""The columns that are read."""

SMALLEST = 40
"""Items below which nothing sensible can be trained."""


class JudgementsError(ArgsearchError):
    """Judgements that cannot be read."""


@dataclass(frozen=True)
class Judgements:
    """Judged texts; `quality` is rescaled to [0, 1] over the arguments only (H21), else 0."""

    file: str
    sha256: str
    texts: tuple[str, ...]
    topics: NDArray[np.int64]
    is_argument: NDArray[np.bool_]
    quality: NDArray[np.float64]
    lowest: float
    highest: float

    @property
    def topic_count(self) -> int:
        """Distinct topics."""
        return len(np.unique(self.topics))

    @property
    def words(self) -> NDArray[np.float64]:
        """Words of each text, apart by white space: float64[n]."""
        return np.array([len(text.split()) for text in self.texts], dtype=np.float64)


def _find(source: Path) -> Path:
    if not source.exists():
        raise JudgementsError(
            f"judgements {str(source)!r} do not exist; give a CSV file or its folder"
        )
    if source.is_file():
        return source
    found = sorted(source.rglob("*arguments.csv"))
    if len(found) == 1:
        return found[0]
    raise JudgementsError(
        f"folder {str(source)!r} holds {len(found)} files named *arguments.csv; name the file"
    )


def _rows(path: Path, content: str) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(content, newline=""))
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise JudgementsError(
            f"judgements {str(path)!r} lack the column {missing[0]!r}; needed: {', '.join(COLUMNS)}"
        )
    return list(reader)


def _parse(row: Mapping[str, str], path: Path, number: int) -> tuple[str, str, bool, float]:
    flag, text, topic = row["Is Argument?"], row["Premise"], row["Topic ID"]
    if flag not in ("True", "False") or text is None or not topic:
        raise JudgementsError(
            f"judgements {str(path)!r}, item {number}: 'Is Argument?' is {flag!r}; allowed: True, "
            "False, with a topic and a premise"
        )
    try:
        quality = float(row["Combined Quality"]) if flag == "True" else 0.0
    except (TypeError, ValueError):
        quality = math.nan
    if not math.isfinite(quality):
        raise JudgementsError(
            f"judgements {str(path)!r}, item {number}: 'Combined Quality' is "
            f"{row['Combined Quality']!r}; allowed: a number"
        )
    return topic, text, flag == "True", quality


def read_judgements(source: Path) -> Judgements:
    """Judgements from a CSV file, or from a folder that holds one file named *arguments.csv.

    Raises JudgementsError for a missing file, missing columns, a bad row, or too few items.
    """
    path = _find(Path(source))
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
        rows = [_parse(row, path, i) for i, row in enumerate(_rows(path, text), 1)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise JudgementsError(f"judgements {str(path)!r} are not UTF-8 CSV: {error}") from error
    topics, texts, flags, scores = zip(*rows, strict=True) if rows else ((), (), (), ())
    is_argument, raw = np.array(flags, dtype=np.bool_), np.array(scores, dtype=np.float64)
    good = raw[is_argument]
    distinct, numbers = np.unique(np.array(topics, dtype=np.str_), return_inverse=True)
    spread = min(len(np.unique(numbers[is_argument == flag])) for flag in (True, False))
    if len(rows) < SMALLEST or spread < 2 or len(np.unique(good)) < 2:
        raise JudgementsError(
            f"judgements {str(path)!r} hold {len(rows)} items, {len(good)} arguments, "
            f"{len(distinct)} topics; needed: {SMALLEST} items, arguments of different quality, "
            "non-arguments, both in two topics or more"
        )
    low, high = float(good.min()), float(good.max())
    quality = np.where(is_argument, (raw - low) / (high - low), 0.0)
    sha256 = hashlib.sha256(content).hexdigest()
    return Judgements(
        path.name, sha256, texts, numbers.astype(np.int64), is_argument, quality, low, high
    )
