"""HTTP on real search servers: as on an index directory, or a line that says why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import create_app
from argsearch.engine import Engine
from tests.contracts.agreement import TIED, TOLERANCE

pytestmark = [pytest.mark.servers, pytest.mark.slow]

Clients = tuple[TestClient, TestClient]
QUESTIONS = (
    "Should zoos be abolished?", "the animals", "xylzzyq", "Should zoos be xyzzyxed?", "🦄 zoos"
)  # fmt: skip
SEARCHES = (
    "k=10&sides=true&explain=true",
    "k=3&side=both&page=2&facet=stance&where=words+%3E+20",
    "k=10&facet=words&facet=quality&facet=source&facet=cluster&where=quality+%3E%3D+.2",
    "k=5&stance=con&sort=-words",
    "k=10&config=dirichlet&sides=true&explain=true",
    "k=10&config=heimdall-2021&w_quality=3&w_cluster=0&sides=true&explain=true",
    "k=1&page=400",
)
APART = {"milliseconds", "suggestion", "first_weak_rank", "looked_at"}
"""What differs from request to request, and what a server is not asked for: always null there."""
HELD_TO = ("sentence", "source", "stance", "conclusion", "premises", "context")
"""Of a hit: what is its own, whatever the rounding of scores."""
REFUSED = {
    "/api/search?q=zoos&collapse=true": 409,
    "/api/pairs?q=zoos": 409,
    "/api/premises?q=zoos": 409,
    "/api/suggest?q=zoo": 409,
    "/api/map": 409,
    "/api/arguments/{id}/counter": 409,
}
"""What only an index directory has, and the status that says so."""


@pytest.fixture(scope="module")
def clients(remote: Engine, embedded: Engine) -> Iterator[Clients]:
    """Of a server's index, and of the directory it was written from."""
    with TestClient(create_app(remote)) as ours, TestClient(create_app(embedded)) as theirs:
        yield ours, theirs


def asked(clients: Clients, path: str) -> tuple[Any, Any]:
    """The two answers, whose statuses, types and headers are the same."""
    found, wanted = (client.get(path) for client in clients)
    assert found.status_code == wanted.status_code, (path, found.text[:300])
    for header in ("content-type", "x-index-fingerprint", "etag", "cache-control"):
        assert found.headers.get(header) == wanted.headers.get(header), (path, header)
    return found, wanted


def assert_same_hits(found: list[dict], wanted: list[dict]) -> None:
    """The same hits in the same order, but for scores that single precision cannot tell apart."""
    assert len(found) == len(wanted)
    others = {hit["id"]: hit for hit in wanted}
    for hit, other in zip(found, wanted, strict=True):
        assert hit["rank"] == other["rank"]
        assert hit["score"] == pytest.approx(other["score"], rel=TOLERANCE, abs=1e-6)
        if hit["id"] != other["id"]:
            tied = [h for h in wanted if abs(h["score"] - other["score"]) <= TIED * other["score"]]
            assert len(tied) > 1 or hit is found[-1], (hit["id"], other["id"])
        same = others.get(hit["id"], hit)
        assert set(hit) == set(same)
        assert [hit[key] for key in HELD_TO] == [same[key] for key in HELD_TO]
        if "side" in hit:
            assert hit["side"]["value"] == same["side"]["value"]
        if "factors" in hit:
            assert hit["factors"] == pytest.approx(same["factors"], rel=1e-4, abs=1e-4)


def assert_same_answer(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert set(found) == set(wanted)
    lists = [(one.pop("lists", {})) for one in (found, wanted)]
    ours, theirs = ({side: of["total"] for side, of in one.items()} for one in lists)
    assert ours == theirs
    assert {of["first_weak_rank"] for of in lists[0].values()} <= {None}
    for key in set(found) - APART - {"hits"}:
        assert found[key] == wanted[key], key
    assert_same_hits(found["hits"], wanted["hits"])
    assert (found["suggestion"], found["first_weak_rank"]) == (None, None)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_is_the_same(clients: Clients, search: str) -> None:
    for question in QUESTIONS:
        found, wanted = asked(clients, f"/api/search?q={quote(question)}&{search}")
        assert found.status_code == 200, found.text
        assert_same_answer(found.json(), wanted.json())


@pytest.mark.parametrize("path", REFUSED)
def test_what_a_server_does_not_have_is_refused_in_a_line(clients: Clients, path: str) -> None:
    id = clients[0].get("/api/search?q=zoos&k=1").json()["hits"][0]["id"]
    answer = clients[0].get(path.replace("{id}", quote(id, safe="")))
    assert answer.status_code == REFUSED[path]
    assert answer.headers["content-type"] == "application/problem+json"
    detail = answer.json()["detail"]
    assert "\n" not in detail
    assert "search server" in detail or "index directory" in detail


def test_what_it_says_of_itself_leads_the_page_to_nothing_else(clients: Clients) -> None:
    """The page offers what /ready has: nothing of what is refused."""
    found, wanted = (client.get("/ready").json() for client in clients)
    others = {key for key in found if found[key] != wanted[key]}
    assert others <= {"parts", "suggestions", "map", "varied"}
    assert found["varied"] == found["columns"]  # a server does not say which values differ
    assert (found["parts"], found["suggestions"], found["map"]) == ([], False, False)
    examples = clients[0].get("/api/examples").json()["examples"]
    assert examples
    for question in examples:
        assert clients[0].get(f"/api/search?q={quote(question)}&k=1").json()["hits"]
