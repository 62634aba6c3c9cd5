"""What is served beside the search: an argument's page, examples, the weight of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from argsearch.api.http.app import WEB, create_app
from argsearch.api.http.argument_page import Asked
from tests.api.awkward import ARGUMENTS


@pytest.fixture(scope="module")
def client(awkward_index: Path) -> Iterator[TestClient]:
    with TestClient(create_app(awkward_index)) as client:
        yield client


@pytest.mark.parametrize("argument", ARGUMENTS[:6], ids=lambda argument: argument["id"])
def test_every_argument_has_a_page(live, argument):
    """Over a real connection: the client in this process decodes a path twice."""
    answer = httpx.get(live + Asked("zoos").page(argument["id"]))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text.count("<script") == 0
    assert ("<mark>" in answer.text) is ("zoos" in str(argument).lower())


def test_text_is_escaped_and_scripts_are_no_links(client):
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in client.get("/arguments/xss").text
    assert "javascript:" not in client.get("/arguments/zoo-2").text
    for path in ("/arguments/zoo-2", "/arguments/%22%3E%3Cb%3E"):
        page = client.get(path, params={"q": '"><b>'}).text
        assert "<b>" not in page
        assert "&quot;&gt;&lt;b&gt;" in page


def test_words_of_the_question_are_marked_only_where_there_is_one(client):
    marked = client.get("/arguments/zoo-2?q=Zoos+species").text
    assert "<mark>Zoos</mark> save <mark>species</mark>, &quot;says&quot;" in marked
    assert "<mark>" not in client.get("/arguments/zoo-2").text
    assert "<mark>" not in client.get("/arguments/zoo-2?q=%20").text


def test_an_unknown_id_is_a_page_with_404(client):
    answer = client.get("/arguments/no/such")
    assert answer.status_code == 404
    assert "no/such" in answer.text
    assert "content-security-policy" in answer.headers
    assert client.get("/arguments/zoo-2", params={"q": "a" * 2001}).status_code == 422


def test_examples_are_debatable_conclusions_of_the_index(client):
    found = client.get("/api/examples").json()["examples"]
    conclusions = {argument["conclusion"] for argument in ARGUMENTS}
    assert found[:2] == ["School uniforms are good", "Zoos should be abolished"]
    assert set(found) <= conclusions
    assert client.get("/api/examples").json()["examples"] == found


def test_all_files_of_the_page_are_light():
    assert sum(path.stat().st_size for path in WEB.iterdir()) <= 200_000
