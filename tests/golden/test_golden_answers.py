"""Rankings of all units that no change of the house may change, bit for bit, kept as digests.

Vectors come from an encoder's matrix product, which differs in the last digits between processors,
as a logarithm does; on another kind of processor only what reads no vector and takes no logarithm
of each document is held to its digest, and the rest to six digits in `test_golden_rankings.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.indexer.parts.adding import PARTS
from argsearch.lab.runs.topics import read_topics
from tests.conftest import SAMPLE
from tests.golden.digest import RankingDigest, values
from tests.indexes import Built

KEPT: dict[str, Any] = json.loads((Path(__file__).parent / "answers.json").read_text("utf-8"))
LEXICAL = ("bm25", "bm25f", "tfidf")
EXPLAINED = (*range(1, 11), 100, 101, 500)
TOPICS = 5


def processor() -> str:
    """How this processor multiplies matrices."""
    rng = np.random.default_rng(0)
    one, other = rng.random((64, 256), np.float32), rng.random((300, 256), np.float32)
    return hashlib.sha256((one @ other.T).tobytes()).hexdigest()[:16]


class Rankings:
    """The digest of a group of rankings."""

    def __init__(self) -> None:
        self.digest = RankingDigest()

    def add(self, name: str, hits: Sequence[Any], ranks: Sequence[int]) -> None:
        """Take the rankings of a question in, with the explanations of some ranks."""
        hits = list(hits)
        explained = [
            list(values(hits[rank - 1].explanation)) for rank in ranks if rank <= len(hits)
        ]
        scores = [float(hit.score) for hit in hits]
        self.digest.add(name, [hit.id for hit in hits], scores, explained)


def arguments(engine: Engine, topics: dict[str, str], name: str, found: Rankings) -> None:
    name, _, depth = name.partition("@")
    few = name.startswith(("dumani-2020", "hit-girl-2022"))
    for number, title in list(topics.items())[: 2 if few else TOPICS]:
        hits = engine.search(title, k=50 if few else 1000, config=name).hits
        ranks = [rank for rank in ((1, 50) if few else EXPLAINED) if rank <= int(depth or 1000)]
        found.add(number, hits[: int(depth)] if depth else hits, ranks)


def pairs(engine: Engine, topics: dict[str, str], name: str, found: Rankings) -> None:
    for number, title in topics.items():
        found.add(number, engine.pairs(title, k=100, config=name).hits, range(1, 11))


def premises(engine: Engine, topics: dict[str, str], name: str, found: Rankings) -> None:
    config, _, stance = name.rpartition("+")
    asked = None if stance == "both" else stance
    for number, title in topics.items():
        results = engine.premises(title, k=100, stance=asked, config=config)
        found.add(number, results.hits, range(1, 11))


ASK = {"arguments": arguments, "pairs": pairs, "premises": premises}


def compare(corpus: str, engine: Engine, topics: dict[str, str], kind: str) -> None:
    same = processor() == KEPT["processor"]
    different = []
    for key, kept in KEPT[corpus].items():
        group, _, name = key.partition("/")
        if group != kind or not (same or name in LEXICAL):
            continue
        found = Rankings()
        if kind == "counters":
            ids, texts = KEPT["counters"][corpus], KEPT["texts"]
            asked = zip(ids, ids, strict=True) if name == "ids" else enumerate(texts)
            for number, text in asked:
                found.add(str(number), engine.counter(text, 20).hits, range(1, 6))
        else:
            ASK[kind](engine, topics, name, found)
        if found.digest.hexdigest()[:16] != kept:
            different.append(name)
    assert different == []


@pytest.fixture(scope="module")
def sample(built: Built) -> Iterator[Engine]:
    added = tuple(name for name in PARTS if name != "meaning")
    with Engine.open(built(added=added)) as engine:
        yield engine


@pytest.fixture(scope="module")
def subset(real_parts: Path) -> Iterator[Engine]:
    with Engine.open(real_parts) as engine:
        yield engine


def first(path: Path) -> dict[str, str]:
    """The first topics of a file."""
    return {topic.query_id: topic.title for topic in list(read_topics(path))[:TOPICS]}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [*ASK, "counters"])
def test_answers_on_the_sample_are_those_of_before(sample: Engine, kind: str) -> None:
    compare("sample", sample, first(SAMPLE / "topics.xml"), kind)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("kind", [*ASK, "counters"])
def test_answers_on_the_subset_are_those_of_before(
    subset: Engine, data_dir: Path, kind: str
) -> None:
    topics = data_dir / "touche" / "topics-task-1-2020-only-titles-all50.xml"
    compare("subset", subset, first(topics), kind)
