"""Vectors that an index holds: used again for the same texts, and never those of another model."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from argsearch.indexer.parts.known import known_vectors
from argsearch.ranking.vectors import Quantised

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


def held(documents: list[tuple[list[str], str]], conclusion_docs: list[int], name: str) -> Any:
    """A source with an index of before, whose part has documents' texts and conclusions."""
    texts = [text for premises, _ in documents for text in premises]
    distinct = sorted(set(texts))
    premises = embedded(distinct if name == "passages" else texts)
    conclusions = embedded([documents[doc][1] for doc in conclusion_docs])
    part = Arrays(conclusions=conclusions[0], conclusions_scales=conclusions[1])
    part[name], part["scales" if name == "rows" else "passages_scales"] = premises
    if name == "passages":
        part["passage_of"] = np.array([distinct.index(text) for text in texts])
        part["passage_starts"] = np.cumsum([0, *(len(some) for some, _ in documents)])
    before = SimpleNamespace(
        documents=len(documents),
        arrays=SimpleNamespace(conclusion_docs=np.array([*conclusion_docs, len(documents)])),
        mapped=lambda _read, _progress: [(np.arange(len(documents)), documents)],
        open={"part": part},
    )
    return SimpleNamespace(before=before)


HELD = held([(["a"], "x"), (["b"], "x"), (["c"], "y")], [0, 2], "rows")
IN_PASSAGES = held([(["b", "a"], "x"), ([], "x"), (["b", "c"], "y")], [0, 2], "passages")


@pytest.mark.parametrize("source", [HELD, IN_PASSAGES], ids=["premises", "passages"])
@pytest.mark.parametrize(("turned", "is_used"), [(-1, True), (1, True), (2, False), (-60, False)])
def test_vectors_of_another_model_are_not_used(source: Any, turned: int, is_used: bool) -> None:
    """A difference of 1 in a component is that of another batch or processor."""
    asked, another = list[str](), partial(embedded, turned=turned)
    known = known_vectors(source, "part", SLOW, list, another)
    texts = ["a", "x", "c", "b", "y"]
    found = known.embed(texts, partial(another, asked=asked))
    assert same(found, (embedded if is_used else another)(texts))
    assert asked == ([] if is_used else texts)


def test_where_no_text_tells_the_model_nothing_is_used() -> None:
    another = partial(embedded, turned=9)
    blank = held([([""], "x"), ([" "], "y")], [0, 1], "rows")
    known = known_vectors(blank, "part", SLOW, list, another)
    assert same(known.embed(["x"], another), another(["x"]))


def without_conclusions() -> Any:
    """A source whose part has premises alone."""
    earlier = held([(["a"], "x")], [0], "rows")
    del earlier.before.open["part"]["conclusions"]
    return earlier


@pytest.mark.parametrize(
    ("source", "encoder"),
    [
        (SimpleNamespace(before=None), SLOW),
        (HELD, SimpleNamespace(light=True)),
        (without_conclusions(), SLOW),
    ],
    ids=["no earlier index", "a quick encoder", "no conclusions"],
)
def test_of_these_nothing_is_used(source: Any, encoder: Any) -> None:
    asked = list[str]()
    known = known_vectors(source, "part", encoder, list, partial(embedded, asked=asked))
    known.embed(["a"], partial(embedded, asked=asked))
    assert asked == ["a"]
