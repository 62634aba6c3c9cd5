"""A client that openapi-python-client makes of the description, asking a running server."""

from __future__ import annotations

import importlib
import json
import sys

import httpx
import pytest

from tests.api.test_documented import blocks

pytestmark = [pytest.mark.processes, pytest.mark.slow]


@pytest.fixture(scope="module")
def client(live: str, tmp_path_factory: pytest.TempPathFactory):
    """The generated package, and a client of it for the running server."""
    generator = pytest.importorskip(
        "openapi_python_client",
        reason="pip install --no-deps -r tests/requirements-alone.txt -r tests/requirements.txt",
    )
    from openapi_python_client.config import Config, ConfigFile, MetaType

    folder = tmp_path_factory.mktemp("generated")
    path = folder / "openapi.json"
    path.write_text(json.dumps(httpx.get(f"{live}/openapi.json", timeout=60).json()))
    settings = ConfigFile(post_hooks=[])
    out = folder / "argsearch_client"
    config = Config.from_sources(settings, MetaType.NONE, path, "utf-8", False, out)
    problems = list(generator.generate(config=config))
    assert problems == [], [(problem.header, problem.detail) for problem in problems]
    sys.path.insert(0, str(folder))
    with importlib.import_module("argsearch_client").Client(base_url=live) as client:
        yield client
    sys.path.remove(str(folder))


def module(path: str):
    return importlib.import_module(f"argsearch_client.{path}")


def test_answers_and_problems_are_typed(client):
    answer = module("api.search.search").sync(client=client, q="zoos", k=3, explain=True)
    assert (answer.total, [hit.rank for hit in answer.hits]) == (6, [1, 2, 3])
    assert answer.hits[0].explanation.value == answer.hits[0].score
    problem = module("api.search.search").sync(client=client, q="zoos", where=["nope = 3"])
    assert type(problem).__name__ == "ProblemModel"
    assert (problem.status, problem.parameter) == (422, "where")
    batch = module("models").SearchBatch(questions=["zoos", "uniforms"], k=2)
    answer = module("api.search.search_batch").sync(client=client, body=batch)
    assert [len(one.hits) for one in answer.answers] == [2, 2]
    found = module("api.search.argument").sync(client=client, id="zoo-2")
    assert (found.id, len(found.premises)) == ("zoo-2", 1)
    assert module("api.search.argument").sync(client=client, id="nope").status == 404
    answer = module("api.args_me.argsme_arguments").sync(client=client, query="zoos")
    assert answer.total_size == 6
    assert answer.arguments[0].premises[0].text
    assert module("api.service.ready").sync(client=client).documents > 60


def test_it_is_used_as_the_page_says(client, live, capsys):
    """Both sides, key points and an export, which is no JSON."""
    [text] = blocks("http-api.md", "python")
    exec(compile(text.replace("http://127.0.0.1:8000", live), "http-api.md", "exec"), {})
    sides, points, *exported = capsys.readouterr().out.splitlines()
    assert "'against'" in sides
    assert points.startswith("[")
    assert exported[0].startswith("question,side,id,")
    assert len(exported) > 2
