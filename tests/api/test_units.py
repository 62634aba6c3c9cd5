"""Pairs on the command line and over HTTP: one shape, and what every unit takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from argsearch.api.cli.search import UNIT_COMMANDS
from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import (
    QUERIES,
    AnswerModel,
    CounterModel,
    PremisesModel,
    UnitAnswerModel,
)
from argsearch.engine.units import UNITS
from argsearch.indexer.format.settings import IndexSettings
from tests.api.awkward import timeless
from tests.indexes import Built

SERVED = "every_part"

LOOSE = ("--set", "pairs.conclusion_factor=0")
QUESTION = "should zoos be abolished"
MODELS = {
    "arguments": AnswerModel,
    "pairs": UnitAnswerModel,
    "premises": PremisesModel,
    "counters": CounterModel,
}
READERS = ("sides", "discriminative", "collapse", "spread")
"""What the command line asks for unless it is told otherwise."""


@pytest.mark.thorough
@pytest.mark.parametrize("unit", UNITS)
def test_http_and_command_line_give_the_same(client, every_part, done, unit):
    asked = {name: True for name in READERS if name in UNITS[unit].takes}
    asked |= {"q": QUESTION, "k": 2, "stance": "PRO", "explain": True}
    name = "search" if unit == "arguments" else unit
    answer = client.get(f"/api/{name}", params=asked)
    assert answer.status_code == 200
    model = MODELS[unit].model_validate(answer.json(), extra="forbid")
    assert [hit.rank for hit in model.hits] == [1, 2]
    assert all(hit.explanation.value == hit.score for hit in model.hits)
    words = (name, QUESTION, "--index", every_part, "-k", "2", "--stance", "PRO", "--explain")
    out, _ = done(*words, "--format", "json")
    assert timeless(json.loads(out)) == timeless(answer.json())


@pytest.mark.thorough
def test_the_table_shows_both_sentences(every_part, argsearch, done):
    out, err = done("pairs", "zoos", "--index", every_part, "-k", "2", *LOOSE)
    assert out.count("__CONC__") == 2
    assert "2 of " in err
    assert argsearch("pairs", "zoos", "--index", every_part, "--format", "yaml")[0] == 2


POLITE = "Sorry about the delay in posting why zoos should be closed."
POINTS = (
    "Animals suffer from boredom because their cages are too small.",
    "Keepers cannot give wild animals the room that they need.",
)


@pytest.mark.thorough
@pytest.mark.parametrize("unit", ["pairs", "premises"])
def test_a_point_is_shown_not_the_talk_before_it(built: Built, tmp_path: Path, unit: str):
    corpus = tmp_path / "polite.json"
    arguments = [
        {"id": f"S1-A{n}", "conclusion": "Zoos should be closed.", "context": {}}
        | {"premises": [{"text": f"{POLITE} {point}", "stance": "PRO"}]}
        for n, point in enumerate(POINTS)
    ]
    corpus.write_text(json.dumps({"arguments": arguments}), encoding="utf-8")
    index = built(corpus, IndexSettings(quality_model="none", parts=("pairs", "premises")))
    with TestClient(create_app(index)) as client:
        hits = client.get(f"/api/{unit}", params={"q": "should zoos be closed"}).json()["hits"]
    shown = {hit["texts"][1] if unit == "pairs" else hit["sentence"]["text"] for hit in hits}
    assert shown
    assert shown <= {*POINTS}


def test_commands_and_routes_take_what_their_units_take():
    assert {shown.unit for shown in UNIT_COMMANDS.values()} == set(UNITS)
    for name, shown in UNIT_COMMANDS.items():
        unit = UNITS[shown.unit]
        assert {*shown.takes} == {*unit.takes} - {"sides", "offset"}, name
        assert shown.config == unit.config
    fields = {"offset": "page", "facets": "facet"}
    for name, unit in UNITS.items():
        taken = QUERIES[name].model_fields
        assert {fields.get(one, one) for one in unit.takes} <= set(taken)
        assert taken["config"].default == unit.config
        for refused in {"side", "sides", "collapse", "spread", "discriminative", "facet"} - {
            fields.get(u, u) for u in unit.takes
        }:
            assert refused not in taken


def test_every_unit_is_narrowed_sorted_and_exported(client, engine, done, every_part):
    asked = {"q": "close the zoos", "k": 5, "where": "words > 30", "sort": "-words"}
    hits = client.get("/api/pairs", params=asked).json()["hits"]
    found = engine.pairs("close the zoos", k=5, where=["words > 30"], sort="-words")
    words = found.hits.columns()["words"]
    assert [hit["id"] for hit in hits] == found.hits.ids
    assert words == sorted(words, reverse=True)
    both = client.get("/api/pairs", params={"q": "ban zoos", "k": 2, "side": "both"}).json()
    sides = [hit["side"]["value"] for hit in both["hits"]]
    assert sides == sorted(sides, reverse=True)
    assert set(both["lists"]) == {"for", "against"}
    text = client.get("/api/pairs", params={**asked, "format": "csv"}).text
    command = ("pairs", "close the zoos", "--index", every_part, "-k", "5", "--format", "csv")
    narrowed = ("--where", "words > 30", "--sort", "-words", "--no-discriminative")
    out, _ = done(*command, *narrowed)
    assert out.splitlines() == text.splitlines()
    assert [row.split(",")[0] for row in text.splitlines()] == ["rank", "1", "2", "3", "4", "5"]


@pytest.mark.thorough
def test_a_unit_has_a_command_by_its_own_name_too(argsearch, every_part):
    words = ("close the zoos", "--index", every_part, "-k", "3", "--format", "json")
    found, wanted = (
        json.loads(argsearch(command, *words)[1])["hits"] for command in ("arguments", "search")
    )
    assert [hit["id"] for hit in found] == [hit["id"] for hit in wanted]
    assert argsearch("counters", "--help")[0] == 0
    assert argsearch("hits", *words)[0] == 2
