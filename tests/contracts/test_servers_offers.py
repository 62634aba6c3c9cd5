"""What a reader gets besides scores is the same on servers, or is refused in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argsearch.api.cli.main import run
from argsearch.engine import Engine
from argsearch.engine.results.results import Results
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.server.writing import write
from tests.contracts.agreement import assert_same

pytestmark = pytest.mark.servers

QUESTIONS = (
    "Should teachers get tenure?",
    "zoos",
    "Should zoos be xyzzyxed?",
    "Should teachres be alowed to strike?",
    "Dürfen Lehrer in Rente gehen?",
    "🦄 zoos",
)
"""With a direction and without, unknown words, misspelt, German, an emoji."""
CONFIGS = ("default", "dirichlet", "heimdall-2021")


def sides_of(results: Results) -> list[tuple[str, float]]:
    return [(side.value, side.probability) for side in results.sides]


@pytest.mark.parametrize("config", CONFIGS)
def test_sides_and_their_balance_are_the_same(
    remote: Engine, embedded: Engine, config: str
) -> None:
    by_words = {"k": 20, "config": config, "overrides": ["stance.near=false"], "sides": True}
    for question in QUESTIONS:
        found, wanted = (engine.search(question, **by_words) for engine in (remote, embedded))
        assert_same(found, wanted)
        if wanted.sided_for:  # a server has no suggestion: asked for that, it gives the same
            found = remote.search(wanted.sided_for, **by_words)
            wanted = embedded.search(wanted.sided_for, **by_words)
        assert found.balance is not None
        assert wanted.balance is not None
        assert found.balance.claim == wanted.balance.claim
        assert found.balance.counts == wanted.balance.counts
        assert len(found.balance.sides) == min(100, found.total)
        assert sorted(sides_of(found)) == sorted(sides_of(wanted))


def test_a_challenged_text_gets_the_same(remote: Engine, embedded: Engine) -> None:
    text = (
        "The death penalty should be abolished. Innocent people have been executed. It does not "
        "deter murderers in any state. Executions cost the state more than a life in prison."
    )
    found, wanted = (engine.challenge(text) for engine in (remote, embedded))
    assert len(wanted.sections) == 2
    assert (found.about, found.side, found.notes) == (wanted.about, wanted.side, wanted.notes)
    assert found.sections == wanted.sections


@pytest.mark.parametrize("side", ["for", "against", "unclear"])
def test_the_list_of_a_side_is_the_same(remote: Engine, embedded: Engine, side: str) -> None:
    some, by_words = 0, ["stance.near=false"]
    for question in QUESTIONS:
        for more in ({"offset": 0}, {"offset": 5}, {"stance": "con"}):
            asked: dict[str, Any] = {"k": 5, "side": side, "overrides": by_words, **more}
            wanted = embedded.search(question, **asked)
            found = remote.search(wanted.asked, **asked)
            assert_same(found, wanted)
            assert {one.value for one in found.sides} <= {side}
            some += len(found.hits)
    assert some > 5


def test_the_premises_factor_is_the_same(remote: Engine, embedded: Engine) -> None:
    """A server's are embedded when asked, the directory's are stored: one byte loses nothing."""
    for question in QUESTIONS[:3]:
        found, wanted = (engine.search(question, k=120) for engine in (remote, embedded))
        assert found.config.boost.premises > 0
        assert_same(found, wanted)
        theirs = {hit.id: hit.explanation for hit in wanted.hits}
        values = [
            (node.value, theirs[hit.id].find("P").value)
            for hit in found.hits
            if hit.id in theirs and (node := hit.explanation.find("P"))
        ]
        assert len(values) >= min(90, len(found.hits))
        ours, others = np.array(values).T
        np.testing.assert_allclose(ours, others, atol=1e-4)
        assert ours.max() > 0.1


def test_words_occur_as_often(remote: Engine, embedded: Engine) -> None:
    words = [
        "should",
        "zoos",
        "tenure",
        "the",
        "xyzzyq",
        "🦄",
        "e-mail",
        "a",
        *"bcdefghijklmnopqrst",
    ]
    words += [f"word{i}" for i in range(40)]
    found, wanted = (engine.backend.frequencies(words) for engine in (remote, embedded))
    assert found == wanted
    assert sum(n > 0 for n in found) > 5
    assert remote.backend.frequencies([]) == []
    assert remote.backend.frequencies(["zoos"]) == wanted[1:2]


@pytest.fixture(scope="module")
def with_copies(
    server_url: str, sample_index: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """An index that was written to a server from a directory with the part `near_duplicates`."""
    import shutil

    from argsearch.indexer.parts.adding import add_parts

    folder = Path(
        shutil.copytree(sample_index, tmp_path_factory.mktemp("near_duplicates") / "index")
    )
    add_parts(folder, ["near_duplicates"])
    address = f"{server_url}/with-copies"
    write(folder, address, Layout())
    return address


def test_a_search_folds_only_where_it_can(
    with_copies: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["search", "zoos", "--index", with_copies, "-k", "3"]) == 0
    found = capsys.readouterr()
    assert "zoo" in found.out.lower()
    assert "without near-duplicates" in found.out + found.err
