"""Facts about an open index that do not depend on a question, computed on first use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from argsearch.engine.backends.base import Backend, Contents
from argsearch.engine.overview import map as mapping
from argsearch.engine.overview.questions import question_of
from argsearch.engine.overview.suggestions import Suggestions, conclusions
from argsearch.engine.query.query import Query
from argsearch.engine.stance.claims import read_claim

EXAMPLES = 5
"""Number of example questions for an index."""
EXAMPLE_CONCLUSIONS = 1000
"""Number of most frequent conclusions to choose examples from."""
EXAMPLE_QUERY = "should"
"""Query for conclusions on a search server, which cannot count them."""
KNOWN_SHARE = 0.1
"""Smallest share of arguments with a known value for a column to be a useful filter."""
# Length of an example question, in words.
SHORTEST_EXAMPLE = 3
LONGEST_EXAMPLE = 12


class CountedConclusion(NamedTuple):
    """A conclusion and the number of arguments that have it."""

    conclusion: str
    arguments: int
    both: bool
    """True if some arguments are for it and some against it."""
    cluster: int
    premise: str = ""
    """The premise of one of these arguments."""


class Known:
    """Examples, suggestions and clusters of an index."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @cached_property
    def examples(self) -> list[str]:
        """Questions about the most frequent subjects that have arguments on both sides.

        They are made from debatable claims: claims with a direction ("Ban zoos", not "Zoos") and
        SHORTEST_EXAMPLE to LONGEST_EXAMPLE words. Questions of what should be done come first, one
        per cluster and subject. Claims that make no question fill the remaining places.
        """
        contents = self._backend.contents
        counts = _asked(self._backend) if contents is None else _counted(contents)
        debatable = [one for one in counts if _debatable(one.conclusion)]
        asked = {one: question_of(one.conclusion, one.premise) for one in debatable}
        subjects = {one: frozenset(read_claim(one.conclusion).subject) for one in debatable}
        totals = Counter[frozenset[str]]()
        for one in debatable:
            totals[subjects[one]] += one.arguments

        def order(one: CountedConclusion) -> tuple[object, ...]:
            kind = not asked[one], not one.both, not (asked[one] or "").startswith("Should")
            return *kind, -totals[subjects[one]], -one.arguments, one.conclusion

        chosen: dict[str, None] = {}
        seen: set[int | frozenset[str]] = set()
        for one in (ordered := sorted(asked, key=order)):
            if seen.isdisjoint({one.cluster, subjects[one]}):
                chosen[asked[one] or one.conclusion] = None
                seen |= {one.cluster, subjects[one]}
        return list(chosen | {asked[one] or one.conclusion: None for one in ordered})[:EXAMPLES]

    @cached_property
    def two_sided(self) -> bool:
        """True if some arguments are for their conclusions and others are against.

        An index on a search server is assumed to have both stances.
        """
        contents = self._backend.contents
        return contents is None or {1, 2} <= set(np.unique(contents.arrays.stances).tolist())

    @cached_property
    def varied(self) -> frozenset[str] | None:
        """Names of columns whose known values differ and are not rare; None on a server."""
        contents = self._backend.contents
        if contents is None:
            return None
        found = set()
        for name, one in contents.columns.items():
            missing = 0 if one.column.kind == "category" else one.column.missing
            known = one.array[one.array != missing] if missing is not None else one.array
            if len(known) >= KNOWN_SHARE * len(one.array) and len(np.unique(known)) > 1:
                found.add(name)
        return frozenset(found)

    @cached_property
    def suggestions(self) -> Suggestions | None:
        """The index's conclusions as suggestions; None on a search server."""
        contents = self._backend.contents
        return None if contents is None else Suggestions(conclusions(contents))

    @cached_property
    def clusters(self) -> tuple[mapping.MapCluster, ...]:
        """The topical clusters as shown on the map; there are none on a search server."""
        contents = self._backend.contents
        return () if contents is None else mapping.clusters(contents)


def predicted_quality(backend: Backend, id: str) -> float | None:
    """Return an argument's stored quality in [0, 1], or None if the id or the model is missing."""
    if not backend.info.manifest.get("quality_model"):
        return None
    return backend.quality(id)


def _debatable(conclusion: str) -> bool:
    words = conclusion.split()
    is_short = SHORTEST_EXAMPLE <= len(words) <= LONGEST_EXAMPLE and "/" not in conclusion
    return is_short and read_claim(conclusion).directed


def _counted(contents: Contents) -> Iterator[CountedConclusion]:
    """Yield the most frequent conclusions of an index folder, with their counts."""
    arrays = contents.arrays
    begins = np.asarray(arrays.conclusion_docs)
    sizes = np.diff(begins)
    for row in np.argsort(-sizes, kind="stable")[:EXAMPLE_CONCLUSIONS].tolist():
        begin, end = int(begins[row]), int(begins[row + 1])
        first = contents.store[begin] if end > begin else None
        if first is not None and first.conclusion:
            both = len({1, 2} & set(arrays.stances[begin:end].tolist())) == 2
            cluster = int(arrays.clusters[begin])
            conclusion = " ".join(first.conclusion.split())
            yield CountedConclusion(conclusion, end - begin, both, cluster, first.premise)


def _asked(backend: Backend) -> Iterator[CountedConclusion]:
    """Yield the conclusions of EXAMPLE_QUERY's best hits with their counts, without clusters."""
    ranking = backend.search(Query(text=EXAMPLE_QUERY, k=EXAMPLE_CONCLUSIONS))
    found = [ranking.argument(i) for i in range(len(ranking.scores))]
    stances: dict[str, set[object]] = {}
    counts: Counter[str] = Counter()
    for argument in found:
        if conclusion := " ".join((argument.conclusion or "").split()):
            counts[conclusion] += 1
            stances.setdefault(conclusion, set()).add(argument.stance)
    for number, (conclusion, count) in enumerate(counts.items()):
        both = len(stances[conclusion] - {None}) == 2
        yield CountedConclusion(conclusion, count, both, -1 - number)
