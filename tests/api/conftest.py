"""A small corpus with everything awkward in it, indexed once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.awkward import ARGUMENTS, serving


@pytest.fixture(scope="session")
def awkward_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus as an args.me JSON file."""
    path = tmp_path_factory.mktemp("corpus") / "awkward.json"
    path.write_text(json.dumps({"arguments": ARGUMENTS}), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def awkward_index(awkward_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of it, without a quality model; not to be written to."""
    from indexer.build import BuildRequest, build
    from indexer.layout.settings import IndexSettings

    out = tmp_path_factory.mktemp("awkward") / "index"
    build(BuildRequest([str(awkward_corpus)], out, IndexSettings(quality_model="none")))
    return out


@pytest.fixture(scope="session")
def live(awkward_index: Path) -> Iterator[str]:
    """The address of a server of that index, in a process of its own."""
    with serving(awkward_index) as address:
        yield address
