"""Premises on the command line and over HTTP."""

from __future__ import annotations

import json

from fastapi.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import PremisesModel
from argsearch.api.serialise import Answer
from tests.api.awkward import one_line_error

SERVED = "premises_index"

QUESTION = "should zoos be abolished"


def test_the_table_shows_premises_with_their_claims(argsearch, engine, premises_index):
    code, out, messages = argsearch("premises", QUESTION, "--index", premises_index, "-k", "3")
    assert code == 0
    blocks = out.strip().split("\n\n")
    assert len(blocks) == 3
    found = engine.premises(QUESTION, k=3, sides=True, discriminative=True)
    hits, gists = found.hits, [hit.sentence.text for hit in Answer(engine, found).hits]
    for block, hit, gist in zip(blocks, hits, gists, strict=True):
        first, *lines = block.splitlines()
        assert first.split()[2] == hit.side.value
        assert " ".join(first.split()[3:]) == hit.conclusion
        said = " ".join(" ".join(lines).replace("*", "").split())
        assert said.startswith(" ".join(gist.split()))
        assert f"[{hit.id}]" in said
    assert "3 of " in messages
    assert "configuration default" in messages


def test_json_is_the_answer_of_http(argsearch, premises_index, client):
    words = ("premises", QUESTION, "--index", premises_index, "-k", "4", "--format", "json")
    code, out, _ = argsearch(*words, "--explain", "--stance", "PRO")
    assert code == 0
    params = {"q": QUESTION, "k": 4, "stance": "PRO", "explain": True}
    params |= {"sides": True, "discriminative": True}
    answer = client.get("/api/premises", params=params)
    assert answer.status_code == 200
    theirs, ours = answer.json(), json.loads(out)
    for one in (theirs, ours):
        PremisesModel.model_validate(one)
        one.pop("milliseconds")
    assert theirs == ours
    assert [hit["rank"] for hit in ours["hits"]] == [1, 2, 3, 4]
    assert ours["hits"][0]["explanation"]["value"] == ours["hits"][0]["score"]


def test_an_index_without_the_part_says_how_to_add_it(argsearch, sample_index):
    code, out, messages = argsearch("premises", QUESTION, "--index", sample_index)
    assert (code, out) == (1, "")
    assert f"argsearch index --with premises --out {sample_index}" in one_line_error(messages)
    with TestClient(create_app(sample_index)) as bare:
        answer = bare.get("/api/premises", params={"q": QUESTION})
    assert answer.status_code == 409
    problem = answer.json()
    assert problem["parameter"] == "part"
    assert problem["detail"].endswith("add it with: argsearch index --with premises --out INDEX")
    assert str(sample_index) not in answer.text
