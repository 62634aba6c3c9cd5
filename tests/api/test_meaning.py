"""Search by meaning over HTTP and on the command line: the engine's own answers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from argsearch.api.cli.main import run
from argsearch.api.formats import TEXTS
from argsearch.api.http.schemas import AnswerModel
from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from tests.engine.test_meaning import QUESTION, SETTINGS, UNHEARD
from tests.indexes import Built

SERVED = "index"


@pytest.fixture(scope="module")
def index(built: Built) -> Path:
    return built(settings=SETTINGS)


@pytest.mark.parametrize("question", [QUESTION, UNHEARD])
@pytest.mark.parametrize("page", [1, 3])
def test_http_gives_what_the_engine_finds(client, engine, question, page):
    asked = {"q": question, "k": 7, "page": page, "sides": True, "explain": True}
    found = client.get("/api/search", params=asked).json()
    AnswerModel.model_validate(found, extra="forbid")
    wanted = engine.search(question, k=7, offset=7 * (page - 1), sides=True)
    assert [hit["id"] for hit in found["hits"]] == wanted.hits.ids
    assert (found["by_meaning"], found["total"]) == (wanted.by_meaning, wanted.total)
    assert found["config"] == "meaning"
    by_words = client.get("/api/search", params={"q": question, "config": "default"}).json()
    assert "by_meaning" not in by_words


def test_the_command_line_says_how_many_are_found_by_each(index, engine, capsys):
    assert run(["search", UNHEARD, "--index", str(index), "-k", "3"]) == 0
    told = capsys.readouterr()
    assert "3 of 0 by words, 100 more by meaning" in told.err
    assert "configuration meaning" in told.err
    text = TEXTS["markdown"][1](Answer(engine, engine.search(UNHEARD, k=1)))
    assert "100 arguments match, 100 of them by meaning alone; configuration meaning" in text


def test_an_index_with_the_part_is_asked_by_it(sample_index, tmp_path):
    copy = shutil.copytree(sample_index, tmp_path / "index")
    named = ["--set", "index.meaning_encoder=wordllama"]
    assert run(["index", "--with", "meaning", "--out", str(copy), *named]) == 0
    with Engine.open(copy) as engine:
        assert engine.search(QUESTION).config.name == "meaning"
