"""A damaged index behind the command line and over HTTP: said once, never answered from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.engine import Engine
from argsearch.indexer.format import checked
from tests.api.awkward import one_line_error
from tests.api.test_cli_serve import serve
from tests.engine.flipping import flipped


@pytest.fixture
def index(awkward_index: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(awkward_index, tmp_path / "index"))


@pytest.mark.processes
@pytest.mark.parametrize(
    ("file", "workers"),
    [
        ("store.bytes.npy", 1),
        ("part.vectors.*.rows.npy", 2),
        pytest.param("text.docs.npy", 1, marks=pytest.mark.slow),
    ],
)
def test_serve_checks_all_before_it_listens(index: Path, file: str, workers: int) -> None:
    [path] = index.glob(file)
    with flipped(path, path.stat().st_size - 1, 2):
        done = serve(index, workers, "-m", "argsearch")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{path.name} is damaged in the 65,536 bytes starting at" in one_line_error(done.stderr)


def test_damage_that_a_query_meets_is_no_answer(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked, "SMALL_FILE", 1)  # as if it were a large file
    index = Path(shutil.copytree(sample_index, tmp_path / "index"))
    path = index / "store.bytes.npy"
    with (
        flipped(path, path.stat().st_size - 1, 2),
        Engine.open(index) as engine,
        TestClient(create_app(engine), raise_server_exceptions=False) as client,
    ):
        backend = engine.backend
        last = backend.ids[int(backend.arrays.store_rows.argmax())]  # type: ignore[attr-defined]
        answer = client.get(f"/api/arguments/{last}")
        assert answer.status_code == 503
        assert answer.json()["detail"] == "the index is damaged; the server's log says where"
        assert answer.json()["title"] == "Damaged index"
        assert client.get("/health").status_code == 200
