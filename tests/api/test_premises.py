"""Premises on the command line and over HTTP."""

from __future__ import annotations

from fastapi.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.api.serialise import Answer
from tests.api.awkward import refused

SERVED = "premises_index"

QUESTION = "should zoos be abolished"


def test_the_table_shows_premises_with_their_claims(done, engine, premises_index):
    out, messages = done("premises", QUESTION, "--index", premises_index, "-k", "3")
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


def test_an_index_without_the_part_says_how_to_add_it(argsearch, sample_index):
    refused(
        argsearch,
        ("premises", QUESTION, "--index", sample_index),
        1,
        f"argsearch index --with premises --out {sample_index}",
    )
    with TestClient(create_app(sample_index)) as bare:
        answer = bare.get("/api/premises", params={"q": QUESTION})
    assert answer.status_code == 409
    problem = answer.json()
    assert problem["parameter"] == "part"
    assert problem["detail"].endswith("add it with: argsearch index --with premises --out INDEX")
    assert str(sample_index) not in answer.text
