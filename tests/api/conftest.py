"""A small corpus with everything awkward in it, indexed once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from argsearch.api.cli.main import run
from argsearch.api.http.app import create_app
from argsearch.engine import Engine
from argsearch.indexer.format.settings import IndexSettings
from tests.api.awkward import build_index, serving, write_corpus
from tests.indexes import Built


@pytest.fixture(scope="session")
def awkward_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus as an args.me JSON file."""
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="session")
def awkward_index(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of it, without a quality model; not to be written to."""
    return build_index(built, tmp_path_factory.mktemp("awkward"))


@pytest.fixture(scope="module")
def served(request: pytest.FixtureRequest) -> Path:
    """The index that a module asks: that of the fixture named SERVED in it, else awkward_index."""
    return Path(request.getfixturevalue(getattr(request.module, "SERVED", "awkward_index")))


@pytest.fixture(scope="module")
def client(served: Path) -> Iterator[TestClient]:
    """A client of an application of that index, in this process."""
    with TestClient(create_app(served)) as client:
        yield client


@pytest.fixture(scope="module")
def engine(served: Path) -> Iterator[Engine]:
    """That index, open."""
    with Engine.open(served) as engine:
        yield engine


@pytest.fixture(scope="session")
def live(awkward_index: Path) -> Iterator[str]:
    """The address of a server of that index, in a process of its own."""
    with serving(awkward_index) as address:
        yield address


@pytest.fixture
def index(built: Built, tmp_path: Path) -> Path:
    """A copy of the sample's index without an encoder, to be changed."""
    plain = IndexSettings(encoder="none", quality_model="none")
    return Path(shutil.copytree(built(settings=plain), tmp_path / "index"))


@pytest.fixture
def argsearch(capsys: pytest.CaptureFixture[str]):
    """Runs a command line; gives its exit code, standard output and standard error."""

    def call(*words: str | Path) -> tuple[int, str, str]:
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def done(argsearch):
    """Runs a command line, which has to succeed; gives its standard output and error."""

    def call(*words: str | Path) -> tuple[str, str]:
        code, out, err = argsearch(*words)
        assert code == 0, err
        return out, err

    return call
