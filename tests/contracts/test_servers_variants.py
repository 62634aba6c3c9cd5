"""On a search server too the spellings of a word are one term, or the question is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.engine.backends.server.backend import ServerBackend
from argsearch.engine.config import load_config
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.server.writing import write
from tests.engine.test_variants import QUESTIONS, corpus, mixed, spelt
from tests.indexes import indexed

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of arguments in mixed spellings."""
    made = tmp_path_factory.mktemp("variants")
    return indexed(made, corpus(spelt), load_config("default").index)


@pytest.fixture(scope="module")
def embedded(folder: Path) -> Iterator[Engine]:
    """What every server is held to."""
    with Engine.open(folder) as engine:
        yield engine


def opened(server_url: str, folder: Path, shards: int) -> Engine:
    """Open the index on a server."""
    address = f"{server_url}/variants-{shards}"
    write(folder, address, Layout(shards=shards))
    return Engine.open(address)


def hold(remote: Engine, embedded: Engine, question: str) -> None:
    """Compare the answers to a question in all spellings."""
    for config in ("default", "dirichlet"):
        own = embedded.search(question, config=config, k=20, discriminative=True)
        for other in mixed(question) if config == "default" else [question]:
            found = remote.search(other, config=config, k=20, discriminative=True)
            assert found.hits.ids == own.hits.ids
            assert (found.total, found.unknown) == (own.total, own.unknown)
            assert found.discriminative == own.discriminative
            assert found.hits.scores.tolist() == pytest.approx(own.hits.scores.tolist(), 1e-4)
            told = [hit.explanation for one in (found, own) for hit in one.hits[:5]]
            for theirs, ours in zip(told[: len(told) // 2], told[len(told) // 2 :], strict=True):
                assert theirs.value == pytest.approx(ours.value, 1e-4)
                assert [d.description for d in theirs.details[0].details] == [
                    d.description for d in ours.details[0].details
                ]


def test_a_server_counts_spellings_as_one_term(
    server_url: str, folder: Path, embedded: Engine
) -> None:
    with opened(server_url, folder, 1) as remote:
        for question in QUESTIONS:
            hold(remote, embedded, question)
            gists = [one.gists(question, one.search(question).hits.candidates.arguments)
                     for one in (remote, embedded)]  # fmt: skip
            assert gists[0] == gists[1]


def hold_among_spellings(remote: Engine, question: str) -> None:
    """Compare the answers to a question in all spellings with one another."""
    first, *others = [remote.search(one, k=20) for one in mixed(question)]
    assert first.total
    for other in others:
        assert other.hits.ids == first.hits.ids
        assert other.hits.scores.tolist() == first.hits.scores.tolist()


def test_a_server_that_cannot_add_them_all_up_still_answers_all_spellings_alike(
    server_url: str, folder: Path, embedded: Engine
) -> None:
    """A shard adds up what it has itself, and earlier versions wrote no analyzer for it."""
    retrieval = load_config("default").retrieval
    with opened(server_url, folder, 3) as remote:
        # each shard has all words of this one, and not all spellings of that
        hold(remote, embedded, "parties lose trust")
        counted = [
            len(one.backend.spellings(["women's"], retrieval)[0]) for one in (remote, embedded)
        ]
        assert 1 <= counted[0] < counted[1]
        for question in QUESTIONS:
            hold_among_spellings(remote, question)
    with opened(server_url, folder, 1) as remote:
        assert isinstance(remote.backend, ServerBackend)
        session = remote.backend.session
        earlier = replace(session.generation, unifies_spellings=False)
        remote.backend.session = replace(session, generation=earlier)
        assert len(remote.backend.spellings(["women's"], retrieval)[0]) == 1
        for question in QUESTIONS:
            hold_among_spellings(remote, question)


def test_spellings_count_towards_the_terms_that_a_server_takes(
    server_url: str, folder: Path, embedded: Engine
) -> None:
    with opened(server_url, folder, 1) as remote:
        words = " ".join(f"word{n}" for n in range(1020))
        assert remote.search(f"{words} parties lose trust").total
        with pytest.raises(InvalidParameter, match=r"at most 1024 words .*10\d\d distinct"):
            remote.search(f"{words} women's")
