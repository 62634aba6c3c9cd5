"""One suite, every backend: a real Elasticsearch and OpenSearch answer as the embedded engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from argsearch.engine import Engine
from argsearch.engine.backends.server.requests import SUPPORTED
from argsearch.engine.config import load_config, names
from argsearch.indexer.corpus.argument import Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.manifest import without_sums
from argsearch.indexer.format.parts import PartMissing
from tests.contracts.agreement import assert_same

pytestmark = pytest.mark.servers

CONFIGS = [n for n in names() if not n.startswith(("dumani-", "hit-girl-", "pairs-"))]
"""Those that say how arguments are ranked; the others rank what no search server holds."""
QUESTIONS = (
    "should teachers get tenure",
    "Should we abolish zoos?",
    "the the the death penalty penalty",
    "animals",
    "Ünïcode — naïve café 日本 words, and e-mail@example.org",
    "a word that occurs in no document: xylzzyq",
)


@pytest.mark.parametrize("config", CONFIGS)
def test_every_configuration_gives_the_same_ranking_or_is_refused(
    remote: Engine, embedded: Engine, config: str
) -> None:
    if load_config(config).retrieval.model not in SUPPORTED["model"]:
        with pytest.raises(InvalidParameter, match=r"retrieval\.model must be dirichlet"):
            remote.search("zoos", config=config)
        return
    if config == "meaning":
        with pytest.raises(
            PartMissing, match="a search server cannot hold this part; use a directory"
        ):
            remote.search("zoos", config=config)
        return
    for text in QUESTIONS:
        found = remote.search(text, k=1000, config=config)
        assert_same(found, embedded.search(text, k=1000, config=config))
        assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))


@pytest.mark.parametrize(
    "how",
    [
        {"overrides": ["boost.quality=-0.9"]},
        {"overrides": ["boost.cluster=-3"]},
        {"overrides": ["boost.quality=1000"]},
        {"overrides": ["boost.cosine=shifted"]},
        {"overrides": ["boost.cosine=clipped"]},
        {"stance": Stance.PRO},
        {"stance": Stance.CON},
    ],
    ids=str,
)
def test_weights_of_any_sign_and_a_stance_give_the_same_ranking(
    remote: Engine, embedded: Engine, how: dict[str, Any]
) -> None:
    for config in ("heimdall-2021", "heimdall-2021-run4"):
        asked = {"k": 1000, "config": config, **how}
        found = remote.search("should zoos be closed", **asked)
        assert_same(found, embedded.search("should zoos be closed", **asked))
        if "stance" in how:
            assert {hit.argument.stance for hit in found.hits} == {how["stance"]}


def test_pages_join_to_one_ranking(remote: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    config = "heimdall-2021"
    whole = remote.search("should school be longer", k=40, config=config)
    wanted = [(hit.id, hit.rank, hit.score) for hit in whole.hits]

    def pages() -> list[tuple[str, int, float]]:
        joined = []
        for offset in range(0, 40, 7):
            page = remote.search("should school be longer", k=7, offset=offset, config=config)
            joined += [(hit.id, hit.rank, hit.score) for hit in page.hits]
        return joined[:40]

    assert pages() == wanted
    assert len(remote.search("animals", k=5, offset=100_000, config=config).hits) == 0
    monkeypatch.setattr(
        "argsearch.engine.backends.server.backend.HITS_AT_ONCE", 5
    )  # as beyond 10,000 hits
    assert pages() == wanted
    again = remote.search("should school be longer", k=40, config=config)
    assert [(hit.id, hit.rank, hit.score) for hit in again.hits] == wanted


@pytest.mark.parametrize("config", ["dirichlet", "heimdall-2021", "heimdall-2021-run4"])
def test_explanations_are_those_of_the_embedded_engine(
    remote: Engine, embedded: Engine, config: str
) -> None:
    text = "the the death penalty for animals in zoos"
    wanted = {hit.id: hit for hit in embedded.search(text, k=60, config=config).hits}
    compared = 0
    for hit in remote.search(text, k=60, config=config).hits:
        assert hit.explanation.value == pytest.approx(hit.score, rel=1e-12)
        if hit.id in wanted:
            ours, theirs = _flat(hit.explanation), _flat(wanted[hit.id].explanation)
            assert [description for description, _ in ours] == [d for d, _ in theirs]
            assert [v for _, v in ours] == pytest.approx([v for _, v in theirs], rel=1e-5)
            compared += 1
    assert compared > 50


def _flat(tree) -> list[tuple[str, float]]:  # type: ignore[no-untyped-def]
    below = [pair for detail in tree.details for pair in _flat(detail)]
    return [(tree.description, tree.value), *below]


def test_documents_come_back_as_they_were(remote: Engine, embedded: Engine) -> None:
    for hit in embedded.search("animals", k=100).hits:
        assert remote.argument(hit.id) == hit.argument
    assert remote.argument("no such id") is None
    assert remote.argument("argsearch:centroids:0") is None
    kept = without_sums(embedded.info.manifest)  # no block of a file is on a server
    assert remote.info == replace(embedded.info, manifest=kept)
    assert (remote.backend.centroids == embedded.backend.centroids).all()


def test_what_a_server_cannot_do_exactly_is_an_error(remote: Engine) -> None:
    with pytest.raises(InvalidParameter, match=r"retrieval\.mu must be 2000, .*, not 500\.0"):
        remote.search("zoos", overrides=["retrieval.mu=500"])
    with pytest.raises(InvalidParameter, match=r"retrieval\.lengths must be .*, not 'exact'"):
        remote.search("zoos", overrides=["retrieval.lengths=exact"])
    with pytest.raises(InvalidParameter, match=r"stem_conflation must be 0\.0 on a .*, not 0\.5"):
        remote.search("zoos", overrides=["retrieval.stem_conflation=0.5"])
    for fields in ("conclusion", "premise"):
        with pytest.raises(InvalidParameter, match=r"retrieval\.fields must be text on a"):
            remote.search("zoos", overrides=[f"retrieval.fields={fields}"])
    words = " ".join(f"word{i}" for i in range(1025))
    with pytest.raises(InvalidParameter, match="at most 1024 words .*1025 distinct"):
        remote.search(words)


def test_the_longest_query_is_answered(remote: Engine, embedded: Engine) -> None:
    words = " ".join(f"word{i}" for i in range(1022)) + " zoos tenure"
    assert_same(remote.search(words, k=50), embedded.search(words, k=50))


@pytest.mark.parametrize("asked", [{}, {"where": ["stance=con"]}], ids=str)
def test_what_shares_only_common_words_is_left_out_alike(
    remote: Engine, embedded: Engine, asked: dict[str, Any]
) -> None:
    """Hits, pages, totals, facets and sides are those of the embedded engine."""
    for text in (*QUESTIONS, "Should zoos be xyzzyxed?", "should be xyzzyxed", "should it be", "…"):
        narrowed = {"discriminative": True, "facets": ("stance", "words"), "k": 500, **asked}
        found, wanted = (one.search(text, **narrowed) for one in (remote, embedded))
        assert_same(found, wanted)
        assert (found.facets, found.common) == (wanted.facets, wanted.common)
        assert found.discriminative == found.total == len(found)
        assert found.total + (found.common or 0) == remote.search(text, **asked).total
        paged = [remote.search(text, **{**narrowed, "k": 5, "offset": o}) for o in (0, 5)]
        assert [id for page in paged for id in page.hits.ids] == found.hits.ids[:10]
    one, other = (e.search("should zoos be closed", discriminative=True, sides=True, **asked)
                  for e in (remote, embedded))  # fmt: skip
    assert one.balance is not None
    assert other.balance is not None
    assert one.balance.counts == other.balance.counts


def test_a_column_sorts_what_is_on_the_question_alike(remote: Engine, embedded: Engine) -> None:
    for text in QUESTIONS:
        asked: dict[str, Any] = {"discriminative": True, "sort": "-words", "k": 100, "sides": True}
        asked["facets"] = ("stance", "words")
        found, wanted = (one.search(text, **asked) for one in (remote, embedded))
        assert (found.hits.ids, found.total) == (wanted.hits.ids, wanted.total)
        assert (found.notes, found.facets) == (wanted.notes, wanted.facets)
        words = found.hits.columns()["words"]
        assert words == sorted(words, reverse=True)


@pytest.mark.parametrize("stance", [None, Stance.CON])
def test_what_is_known_of_the_words_is_the_same(
    remote: Engine, embedded: Engine, stance: Stance | None
) -> None:
    for text in (*QUESTIONS, "Should zoos be xyzzyxed?", "Dürfen Lehrer in Rente gehen?", "…"):
        found, wanted = (one.search(text, stance=stance) for one in (remote, embedded))
        assert (found.discriminative, found.unknown) == (wanted.discriminative, wanted.unknown)
        assert found.wording.weights == wanted.wording.weights
        assert found.remarks == wanted.remarks
        assert (found.suggestion, found.first_weak_rank) == (None, None)
