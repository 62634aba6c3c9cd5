"""Vectors that an index holds: used again for the same texts, and never those of another model."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from argsearch.indexer.parts.known import known_vectors
from argsearch.ranking.vectors import Quantised

ARRAYS = ("rows", "conclusions", "scales", "conclusions_scales")
SLOW: Any = SimpleNamespace(light=False)


def embedded(texts: list[str], asked: list[str] | None = None, turned: int = 0) -> Quantised:
    """A vector of each text, of its own; asked: takes the texts down; turned: another model's."""
    if asked is not None:
        asked += texts
    codes = np.array([ord(text) if text else 32 for text in texts], np.int64).reshape(-1, 1)
    rows = np.concatenate([codes, codes % 7, codes % 5 + turned], axis=1)
    return rows.astype(np.int8), (codes[:, 0] / 1000).astype(np.float32)


def same(one: Quantised, other: Quantised) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


class Arrays(dict[str, Any]):
    """The arrays of a part, which has them by name."""

    @property
    def arrays(self) -> set[str]:
        """Their names."""
        return set(self)


def held(documents: list[tuple[str, str]], conclusion_docs: list[int]) -> Any:
    """A source with an index of before, whose part has documents' premises and conclusions."""
    premises = embedded([premise for premise, _ in documents])
    conclusions = embedded([documents[doc][1] for doc in conclusion_docs])
    values = (premises[0], conclusions[0], premises[1], conclusions[1])
    before = SimpleNamespace(
        documents=len(documents),
        arrays=SimpleNamespace(conclusion_docs=np.array([*conclusion_docs, len(documents)])),
        mapped=lambda _read, _progress: [(np.arange(len(documents)), documents)],
        open={"part": Arrays(zip(ARRAYS, values, strict=True))},
    )
    return SimpleNamespace(before=before)


HELD = held([("a", "x"), ("b", "x"), ("c", "y")], [0, 2])


@pytest.mark.parametrize(("turned", "is_used"), [(-1, True), (1, True), (2, False), (-60, False)])
def test_vectors_of_another_model_are_not_used(turned: int, is_used: bool) -> None:
    """A difference of 1 in a component is that of another batch or processor."""
    asked, another = list[str](), partial(embedded, turned=turned)
    known = known_vectors(HELD, "part", SLOW, list, ARRAYS, another)
    found = known.embed(["a", "x"], partial(another, asked=asked))
    assert same(found, (embedded if is_used else another)(["a", "x"]))
    assert asked == ([] if is_used else ["a", "x"])


def test_where_no_text_tells_the_model_nothing_is_used() -> None:
    blank, another = held([("", "x"), (" ", "y")], [0, 1]), partial(embedded, turned=9)
    known = known_vectors(blank, "part", SLOW, list, ARRAYS, another)
    assert same(known.embed(["x"], another), another(["x"]))


@pytest.mark.parametrize(
    ("source", "encoder", "arrays"),
    [
        (SimpleNamespace(before=None), SLOW, ARRAYS),
        (HELD, SimpleNamespace(light=True), ARRAYS),
        (HELD, SLOW, (*ARRAYS[:3], "what an earlier version had not")),
    ],
)
def test_of_a_quick_encoder_or_an_earlier_part_nothing_is_used(
    source: Any, encoder: Any, arrays: tuple[str, ...]
) -> None:
    asked = list[str]()
    known = known_vectors(source, "part", encoder, list, arrays, partial(embedded, asked=asked))
    known.embed(["a"], partial(embedded, asked=asked))
    assert asked == ["a"]
