"""The stage `graph`: W22's argument graph over the hits, explained down to PageRank's parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.indexer.format.settings import IndexSettings
from argsearch.ranking.reranking.pagerank import pagerank
from tests.indexes import document, indexed

STAGE = ["rerank.stages=['graph']"]
BARE = ["boost.cluster=0", "boost.quality=0", "boost.premises=0"]


@pytest.fixture(scope="module")
def zoos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Three arguments use the fourth's conclusion, which has the fewest of the question's words."""
    folder = tmp_path_factory.mktemp("zoos")
    arguments = [
        ("Close them.", "Zoos, zoos and zoos. Animals suffer in captivity."),
        ("Free them.", "Zoos and zoos again. Animals suffer in captivity."),
        ("Tax them.", "Zoos cost. In captivity animals suffer."),
        ("Animals suffer in captivity.", "Nothing else was found in all of the many zoos there."),
        (None, "Zoos: nobody concludes from this."),
    ]
    documents = [document(f"a{n}", *said, stance="PRO") for n, said in enumerate(arguments)]
    with Engine.open(indexed(folder, documents, IndexSettings(quality_model="none"))) as opened:
        yield opened


def test_what_others_argue_from_rises(zoos: Engine) -> None:
    base = zoos.search("zoos", overrides=BARE)
    assert base.hits.ids[0] != "a3"
    found = zoos.search("zoos", overrides=[*BARE, *STAGE, "rerank.graph.mu=0"])
    assert found.hits.ids[0] == "a3"
    assert found.hits.ids[1:] == [id for id in base.hits.ids if id != "a3"]
    same = zoos.search("zoos", overrides=[*BARE, *STAGE, "rerank.graph.mu=1"])
    assert same.hits.ids == base.hits.ids


def test_every_value_follows_from_its_details(zoos: Engine) -> None:
    base = zoos.search("zoos", overrides=BARE).hits.ids
    edges = np.zeros((5, 5), bool)
    edges[[base.index(f"a{n}") for n in range(3)], base.index("a3")] = True
    PR = pagerank(edges).values
    for hit in zoos.search("zoos", overrides=[*BARE, *STAGE]).hits:
        mu, I, R = hit.explanation.details  # noqa: E741
        assert hit.explanation.value == hit.score
        assert hit.score == pytest.approx(mu.value * I.value + (1 - mu.value) * R.value)
        x, low, high = R.details
        assert R.value == pytest.approx((x.value - low.value) / (high.value - low.value))
        d, n, brought, loose = x.details
        assert x.value == pytest.approx(PR[base.index(hit.id)])
        wanted = (1 - d.value) / n.value + d.value * (brought.value + loose.value)
        assert x.value == pytest.approx(wanted)
        users = sorted(base.index(f"a{n}") + 1 for n in range(3))
        said = f"at ranks {', '.join(map(str, users))} so far"
        assert (said in brought.description) == (hit.id == "a3")


@pytest.mark.thorough
def test_without_edges_the_order_stays(sample_index: Path) -> None:
    strict = [*STAGE, "rerank.graph.cosine=1.0", "rerank.graph.similarity=0.99"]
    with Engine.open(sample_index) as engine:
        base = engine.search("should zoos be closed", k=50)
        found = engine.search("should zoos be closed", k=50, overrides=strict)
        assert found.hits.ids == base.hits.ids
        assert "all candidates have the same" in str(found.hits[0].explanation)
