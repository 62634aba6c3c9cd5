"""Pairs on the command line and over HTTP: one shape, and what every unit takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from argsearch.api.cli.search import UNIT_COMMANDS
from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import QUERIES, UnitAnswerModel
from argsearch.engine.units import UNITS
from argsearch.indexer.format.settings import IndexSettings
from tests.indexes import Built

SERVED = "pairs_index"

LOOSE = ("--set", "pairs.conclusion_factor=0")


@pytest.fixture(scope="module")
def pairs_index(built: Built) -> Path:
    return built(added=["pairs"])


@pytest.mark.thorough
def test_http_and_command_line_give_the_same(client, pairs_index, argsearch):
    params = {"q": "close the zoos", "k": 3, "explain": "true"}
    readers = {"sides": "true", "discriminative": "true"}
    answer = client.get("/api/pairs", params=params | readers)
    assert answer.status_code == 200
    model = UnitAnswerModel.model_validate(answer.json(), extra="forbid")
    assert [hit.rank for hit in model.hits] == [1, 2, 3]
    assert all(len(hit.texts) == 2 for hit in model.hits)
    assert model.unit == "pairs"
    assert all(hit.explanation and hit.explanation.value == hit.score for hit in model.hits)
    words = ("pairs", "close the zoos", "--index", pairs_index, "-k", "3", "--explain")
    code, out, _ = argsearch(*words, "--format", "json")
    assert code == 0
    assert json.loads(out)["hits"] == answer.json()["hits"]


@pytest.mark.thorough
def test_the_table_shows_both_sentences(pairs_index, argsearch):
    code, out, err = argsearch("pairs", "zoos", "--index", pairs_index, "-k", "2", *LOOSE)
    assert code == 0
    assert out.count("__CONC__") == 2
    assert "2 of " in err
    assert argsearch("pairs", "zoos", "--index", pairs_index, "--format", "yaml")[0] == 2


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


def test_every_unit_is_narrowed_sorted_and_exported(client, engine, argsearch, pairs_index):
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
    command = ("pairs", "close the zoos", "--index", pairs_index, "-k", "5", "--format", "csv")
    narrowed = ("--where", "words > 30", "--sort", "-words", "--no-discriminative")
    code, out, _ = argsearch(*command, *narrowed)
    assert code == 0
    assert out.splitlines() == text.splitlines()
    assert [row.split(",")[0] for row in text.splitlines()] == ["rank", "1", "2", "3", "4", "5"]


@pytest.mark.thorough
def test_a_unit_has_a_command_by_its_own_name_too(argsearch, pairs_index):
    words = ("close the zoos", "--index", pairs_index, "-k", "3", "--format", "json")
    found, wanted = (
        json.loads(argsearch(command, *words)[1])["hits"] for command in ("arguments", "search")
    )
    assert [hit["id"] for hit in found] == [hit["id"] for hit in wanted]
    assert argsearch("counters", "--help")[0] == 0
    assert argsearch("hits", *words)[0] == 2
