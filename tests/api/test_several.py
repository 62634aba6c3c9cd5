"""Several indexes behind one address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from argsearch.api.http.access import Access
from argsearch.api.http.app import create_app
from argsearch.api.http.several import Several, read_names
from argsearch.indexer.errors import InvalidParameter


@pytest.fixture(scope="module")
def client(awkward_index: Path, sample_index: Path) -> Iterator[TestClient]:
    access = Access(rate=1000)
    apps = {"odd": create_app(awkward_index, access), "sample": create_app(sample_index, access)}
    with TestClient(Several(apps)) as client:
        yield client


@pytest.mark.thorough
def test_each_index_answers_under_its_name_and_the_first_everywhere(client):
    listed = client.get("/api/indexes").json()["indexes"]
    assert [one["name"] for one in listed] == ["odd", "sample"]
    assert listed[0]["fingerprint"] != listed[1]["fingerprint"]
    for one in listed:
        answer = client.get(f"{one['address']}search?q=zoos")
        assert answer.json()["fingerprint"] == one["fingerprint"]
        assert answer.headers["x-index-fingerprint"] == one["fingerprint"]
        many = client.post(f"{one['address']}search", json={"questions": ["zoos"]})
        assert many.json()["fingerprint"] == one["fingerprint"]
        ready = client.get(f"{one['address']}ready").json()
        assert ready["fingerprint"] == one["fingerprint"]
        assert ready["indexes"] == ["odd", "sample"]
    assert client.get("/api/search?q=zoos").json()["fingerprint"] == listed[0]["fingerprint"]
    assert client.get("/").status_code == 200
    assert client.get("/ready").json()["fingerprint"] == listed[0]["fingerprint"]
    assert client.get("/api/none/ready").status_code == 404


def test_the_page_of_an_argument_is_of_the_index_that_is_named(client):
    [hit] = client.get("/api/sample/search?q=teachers+tenure&k=1").json()["hits"]
    path = f"/arguments/{hit['id']}"
    assert client.get(path).status_code == 404, "the first index has none of this id"
    assert client.get(f"{path}?index=none").status_code == 404
    assert client.get("/arguments/zoo-2?index=none").status_code == 404, "no other index's answer"
    assert client.get("/arguments/zoo-2?index=odd").status_code == 200
    page = client.get(f"{path}?index=sample&q=a%26b").text
    assert 'href="/?index=sample&amp;q=a%26b"' in page
    assert '<p class="brand"><a href="/?index=sample">' in page
    assert f'href="/api/sample/arguments/{hit["id"]}"' in page
    assert client.get(f"/api/sample/arguments/{hit['id']}").json()["id"] == hit["id"]


def test_a_text_is_challenged_from_the_index_that_is_named(client):
    tenure = {"text": "Teacher tenure should be abolished. Tenure protects bad teachers."}
    page = client.post("/challenge?index=sample", data=tenure).text
    assert re.search(r'href="/arguments/[^"?]+\?index=sample&amp;q=', page)
    assert "“<bdi>Teachers should get tenure</bdi>”" in page
    assert page.count('action="/challenge?index=sample"') == 2
    assert "tenure</bdi>" not in client.post("/challenge", data=tenure).text, "the first has none"


@pytest.mark.parametrize("name", ["nope", "odd/", "ODD", "<script>"])
def test_the_page_of_no_index_is_none(client, name):
    missing = client.get("/", params={"index": name})
    assert missing.status_code == 404
    assert missing.text == client.get("/").text, "the page says it, and offers the others"
    assert "<script>" not in missing.text
    for known in ("odd", "sample", ""):
        assert client.get("/", params={"index": known, "q": "zoos"}).status_code == 200


def test_one_index_alone_has_no_name(sample_index):
    with TestClient(create_app(sample_index)) as alone:
        assert alone.get("/?index=sample").status_code == 404
        assert alone.get("/?index=&q=zoos").status_code == 200
        assert alone.get("/ready").json()["indexes"] == []
        [hit] = alone.get("/api/search?q=teachers+tenure&k=1").json()["hits"]
        assert alone.get(f"/arguments/{hit['id']}?index=sample").status_code == 404


@pytest.mark.thorough
def test_each_index_describes_its_own_paths(client):
    own = client.get("/api/sample/openapi.json").json()["paths"]
    assert "/api/sample/search" in own
    assert {"/api/sample/ready"} < set(own)
    assert all(path.startswith("/api/sample/") for path in own)
    whole = client.get("/openapi.json").json()["paths"]
    assert {"/api/search", "/api/indexes"} <= set(whole)


@pytest.mark.thorough
def test_names_are_read():
    assert read_names(["a/b=c"]) == {"": "a/b=c"}
    assert read_names(["http://host:9200/name=x"]) == {"": "http://host:9200/name=x"}
    assert read_names(["one=a", "two=http://host:9200/b=c"]) == {
        "one": "a",
        "two": "http://host:9200/b=c",
    }
    for given in (
        ["a", "b"],
        ["one=a", "one=b"],
        ["search=a"],
        ["One=a", "two=b"],
        ["one=", "b=a"],
    ):
        with pytest.raises(InvalidParameter, match="--index"):
            read_names(given)
