"""A random corpus to narrow, and what narrowing means by looking at every document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.query.facets import FacetValue
from argsearch.engine.results.results import Results
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.signals.date import date_of
from argsearch.indexer.signals.source import source_of
from tests.indexes import document, indexed

WORDS = [f"w{i}" for i in range(60)]
CLAIMS = [f"{about} {said}" for about in ("zoos", "taxes", "uniforms") for said in ("are good", "")]
WITH_COMMA = "a.org, B b"
"""A source's name; so are its two halves."""
DATES = [None, "2012-01-01", "2012-12-31", "2013-05-06", "1999-09-09", "9999-12-31", "no day"]
COLUMNS = ("quality", "stance", "cluster", "words", "source", "date")
CONFIGS = ("default", "dirichlet", "bm25", "heimdall-2021-run4", "heimdall-mmr")


def documents(n: int) -> Iterator[dict[str, Any]]:
    """Documents of Zipfian words with near-duplicates, some without stance, date or conclusion."""
    rng = np.random.default_rng(3)
    shares = 1.0 / np.arange(1, len(WORDS) + 1)
    said: list[str] = []
    for i in rng.permutation(n).tolist():
        if len(said) < 3 or rng.random() < 0.6:
            size = int(rng.choice([1, 2, 9, 20, 40, 120]))
            said.append(" ".join(rng.choice(WORDS, size, p=shares / shares.sum())))
        text = said[int(rng.integers(len(said)))]
        stance = str(rng.choice(["PRO", "CON"])) if rng.random() < 0.8 else None
        context = {
            "sourceDomain": str(rng.choice(["a.org", "B b", "ü..1", "100..300", WITH_COMMA]))
        }
        if (date := DATES[int(rng.integers(len(DATES)))]) is not None:
            context["date"] = date
        conclusion = str(rng.choice(CLAIMS)) if rng.random() < 0.9 else None
        yield document(f"d{i:04}", conclusion, text, stance=stance, **context)


def built(folder: Path, n: int = 400) -> Path:
    """An index of such a corpus, with groups of near-duplicates and vectors."""
    settings = IndexSettings(parts=("near_duplicates", "vectors"), clusters=5)
    return indexed(folder, documents(n), settings)


class Plain:
    """Every document of an index, and its columns, found without the index's columns."""

    def __init__(self, engine: Engine) -> None:
        backend: Any = engine.backend
        self.engine, self.ids = engine, [backend.ids[d] for d in range(backend.documents)]
        self.arguments: list[Argument] = [backend.store[d] for d in range(backend.documents)]
        tokens, none = backend.searcher.analyzer.tokens, len(backend.centroids)
        clusters = backend.arrays.clusters.tolist()
        self.columns: dict[str, list[Any]] = {
            "quality": backend.arrays.quality.tolist(),
            "stance": [a.stance and a.stance.value for a in self.arguments],
            "cluster": [None if c == none else c for c in clusters],
            "words": [len(tokens(a.text)) for a in self.arguments],
            "source": [source_of(a) for a in self.arguments],
            "date": [date_of(a) or None for a in self.arguments],
        }
        self.doc = {id: d for d, id in enumerate(self.ids)}

    def value(self, column: str, id: str) -> Any:
        """A document's value, None where it has none."""
        return self.columns[column][self.doc[id]]

    def counts(self, column: str, ids: Sequence[str]) -> Counter[Any]:
        """How many of some documents have each value."""
        found = Counter(self.value(column, id) for id in ids)
        del found[None]
        return found

    def ordered(self, whole: Results, column: str, falling: bool) -> list[tuple[str, float]]:
        """The hits of a search for all, sorted by a column, then score, then id."""

        def key(hit: tuple[str, float]) -> tuple[Any, ...]:
            value = self.value(column, hit[0])
            sign = -1 if falling else 1
            return value is None, 0 if value is None else sign * value, -hit[1], hit[0]

        scored = zip(whole.hits.ids, whole.hits.scores.tolist(), strict=True)
        return sorted(scored, key=key)


def range_counts(values: Sequence[FacetValue], found: Counter[Any]) -> None:
    """Each range counts the values between its ends; together they count all of them."""
    for one in values:
        assert one.span is not None
        low, high = (np.float32(end) if end is not None else np.inf for end in one.span)
        assert one.count == sum(n for value, n in found.items() if low <= value < high)
    assert sum(one.count for one in values) == sum(found.values())


def texts() -> st.SearchStrategy[str]:
    """Questions: frequent and rare words, of conclusions too, and unknown ones."""
    return st.lists(
        st.sampled_from([*WORDS, "zoos", "good", "unknown"]), min_size=1, max_size=5
    ).map(" ".join)


def clauses() -> st.SearchStrategy[list[str]]:
    """Filters, or none."""
    some = ["stance=con", "words >= 20", "words=10..100", "source=a.org,B b", "date < 2013-01-01",
            "quality >= .3", "stance != pro", "cluster=0..2"]  # fmt: skip
    return st.lists(st.sampled_from(some), max_size=2, unique=True)


@dataclass(frozen=True)
class Condition:
    """A filter, as it is written and as it is meant."""

    column: str
    operator: str
    value: str

    def __str__(self) -> str:
        return f"{self.column} {self.operator} {self.value}"

    def holds(self, value: Any) -> bool:
        """Whether a document with this value (None: it has none) is kept."""
        if self.column in ("stance", "source"):
            whole = self.value.strip('"') if WITH_COMMA in self.value else ""
            wanted = [whole] if whole else self.value.split(",")
            if self.column == "stance":
                wanted = [one.upper() for one in wanted]
            return (value in wanted) != (self.operator == "!=")
        if value is None:
            return self.operator == "!="
        if ".." in self.value:
            low, high = (self._number(end) for end in self.value.split(".."))
            return low <= value < high
        number = self._number(self.value)
        return {
            "=": value == number, "!=": value != number, "<": value < number,
            "<=": value <= number, ">": value > number, ">=": value >= number,
        }[self.operator]  # fmt: skip

    def _number(self, text: str) -> float:
        number = float(text.replace("-", ""))
        return float(np.float32(number)) if self.column == "quality" else number


def _rising(ends: tuple[str, str]) -> bool:
    low, high = (float(end.replace("-", "")) for end in ends)
    return low < high


def conditions() -> st.SearchStrategy[Condition]:
    """Any filter of any column."""
    numbers = {
        "quality": st.sampled_from(["0", "0.2", ".4", "0.5", "1", "0.13"]),
        "words": st.integers(0, 130).map(str) | st.sampled_from(["9.5", "20.0", "20.9"]),
        "cluster": st.integers(0, 4).map(str) | st.just("1.5"),
        "date": st.sampled_from(["2012-01-01", "2012-12-31", "20130506", "1999-09-09"]),
    }
    operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    equal = st.sampled_from(["=", "!="])
    several = []
    for name, values in numbers.items():
        ranges = st.tuples(values, values).filter(_rising).map("..".join)
        several.append(st.builds(Condition, st.just(name), operators, values))
        several.append(st.builds(Condition, st.just(name), st.just("="), ranges))
    stances = st.sampled_from(["pro", "con", "PRO,con"])
    named = ["a.org", "A.org", "a.org,B b", "ü..1", "100..300", "none", WITH_COMMA]
    sources = st.sampled_from([*named, f'"{WITH_COMMA}"'])
    several.append(st.builds(Condition, st.just("stance"), equal, stances))
    several.append(st.builds(Condition, st.just("source"), equal, sources))
    return st.one_of(several)
