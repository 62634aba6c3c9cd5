"""Behind a proxy that shows the server under a path: every address begins with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from starlette.testclient import TestClient

from argsearch.api.cli.main import run
from argsearch.api.formats import TEXTS
from argsearch.api.http.app import create_app
from argsearch.api.http.prefix import (
    FORWARDED_PREFIX,
    OWN_WORDS,
    Behind,
    read_prefix,
    read_root_path,
)
from argsearch.api.http.several import Several
from argsearch.api.quotes import TEXTS_OF_POINTS
from argsearch.indexer.errors import InvalidParameter
from tests.api.test_access import addresses

PREFIX = "/args"
HOST = "http://shown.example"
PROXY = "127.0.0.1", 1
STRANGER = "203.0.113.9", 1
TEXT = "Zoos should be abolished. Animals suffer behind bars, and zoos keep them for our pleasure."
QUESTIONS = [
    "/?q=zoos&index=two",
    "/?index=nope",
    "/nope/of/this",
    "/arguments/zoo%2F1%23a%3Fb=c&d%2520?q=zoos",
    "/arguments/nope?index=two",
    "/arguments/zoo-2?index=nope",
    "/api/arguments/zoo-2",
    "/api/search",
    "/api/two/nope",
    "/api/search?q=zoos&explain=true",
    "/api/v2/arguments?query=zoos",
    "/api/map?q=zoos",
    "/api/suggest?q=zoo",
    *(f"/api/search?q=zoos&explain=true&format={name}" for name in TEXTS),
    *(f"/api/points?q=zoos&format={name}" for name in ("json", *TEXTS_OF_POINTS)),
]
"""Beside every route of the table, what has an answer with a body of its own."""


class Addresses(HTMLParser):
    """The addresses of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {"href", "src", "action", "formaction", "data-path", "poster", "srcset"}
        self.found += [value or "" for name, value in attrs if name in named]


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON document."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)
    elif isinstance(value, str):
        yield value


def linked(answer: httpx.Response) -> list[str]:
    """Return the addresses that an answer holds, whatever its form."""
    text, media = answer.text, answer.headers["content-type"].partition(";")[0]
    told = [answer.headers[name] for name in ("location", "link") if name in answer.headers]
    if media == "text/html":
        return told + Addresses(text).found
    if media.endswith("json"):
        return told + [one for one in strings(json.loads(text)) if re.match(r"/(?!/)\S*\Z", one)]
    if media == "text/javascript":
        return told + re.findall(r'from "([^"]+)"', text)
    text = re.sub(r'route="[^"]*"', "", text)  # of the metrics, which count by route
    # Nothing else holds an address of the server, neither a whole one nor one of its root.
    assert not re.findall(r"""shown\.example|testserver|[("'<]/(?:api|arguments|\?)|url\(""", text)
    return told


class Outside:
    """A client of the proxy, which shows the application under PREFIX and nothing else."""

    def __init__(self, client: TestClient, strips: bool, says: bool) -> None:
        self.client, self.strips = client, strips
        self.headers = {FORWARDED_PREFIX: PREFIX} if says else {}

    def ask(self, method: str, address: str, **more: Any) -> httpx.Response:
        """Ask for an address as it is outside, which has to be below PREFIX."""
        parts = urlsplit(urljoin(HOST, address))
        assert parts.netloc == urlsplit(HOST).netloc, address
        assert parts.path == PREFIX or parts.path.startswith(f"{PREFIX}/"), address
        inside = parts.path.removeprefix(PREFIX) or "/" if self.strips else parts.path
        inside += f"?{parts.query}" if parts.query else ""
        headers = {**self.headers, **more.pop("headers", {"Accept": "text/html"})}
        return self.client.request(method, inside, headers=headers, follow_redirects=False, **more)

    def follow(self, answer: httpx.Response, address: str) -> set[str]:
        """Return the own addresses that an answer holds, each checked to be below PREFIX."""
        assert HOST not in answer.text
        whole = {urljoin(f"{HOST}{address}", one) for one in linked(answer)}
        own = {one.partition("#")[0] for one in whole if urlsplit(one).netloc == "shown.example"}
        below = {one for one in own if urlsplit(one).path.startswith(f"{PREFIX}/")}
        assert own - below <= {f"{HOST}{PREFIX}"}, (address, own - below)
        return {one.removeprefix(HOST) for one in below}


@pytest.fixture(scope="module")
def several(awkward_index: Path, counter_index: Path) -> Iterator[Several]:
    """Two open indexes, the first of them that with odd ids."""
    served = Several({"one": create_app(awkward_index), "two": create_app(counter_index)})
    with TestClient(served):
        yield served


@pytest.fixture(scope="module", params=["removed", "kept"])
def strips(request: pytest.FixtureRequest) -> bool:
    """Whether the proxy removes the prefix from paths."""
    return bool(request.param == "removed")


@pytest.fixture(scope="module", params=["header", "option"])
def outside(several, strips, request) -> Outside:
    """A client of a proxy that names the prefix, or of one where `--root-path` does."""
    says = request.param == "header"
    served = Behind(several, None if says else read_root_path(f"{PREFIX}/"))
    return Outside(TestClient(served, client=PROXY), strips, says)


@pytest.mark.thorough
def test_every_address_of_every_answer_is_below_the_prefix(outside, several):
    """From every route and every kind of answer on, all that answers refer to is there."""
    table = {address for _, address in addresses(several.apps)}
    assert {"/", "/docs", "/api/two/search", "/openapi.json", "/challenge?index=two"} <= table
    todo = {f"{PREFIX}{one}" for one in (*table, *QUESTIONS)}
    own = set(todo)  # without parameters, an id or a body they may be refused
    done: set[str] = set()
    while todo:
        address = todo.pop()
        done.add(address)
        answer = outside.ask("GET", address)
        assert address in own or answer.status_code == 200, (address, answer.status_code)
        found = outside.follow(answer, address)
        # `instance` is the address itself; what begins all paths of an index, or has a gap for an
        # id, is none to be asked for.
        found -= {address.partition("?")[0], *(one for one in found if re.search(r"[{]|/\Z", one))}
        # Of many alike one is enough.
        kinds = {re.sub(r"=[^&]*|(?<=/arguments/)[^?]*", "", one) for one in done | todo}
        for one in sorted(found):
            kind = re.sub(r"=[^&]*|(?<=/arguments/)[^?]*", "", one)
            if kind not in kinds:
                kinds.add(kind)
                todo.add(one)
    asked = {one.partition("?")[0].removeprefix(PREFIX) for one in done}
    assert {"/page.css", "/ask.js", "/columns.js", "/favicon.svg"} <= asked
    for path, body in (("/challenge?index=two", {"data": {"text": TEXT}}),):
        outside.follow(outside.ask("POST", PREFIX + path, **body), PREFIX + path)


def test_what_programs_are_told_begins_with_the_prefix(outside):
    for path in ("/openapi.json", "/api/two/openapi.json"):
        described = outside.ask("GET", PREFIX + path).json()
        assert described["servers"] == [{"url": PREFIX}]
    listed = outside.ask("GET", f"{PREFIX}/api/indexes").json()["indexes"]
    assert [one["address"] for one in listed] == [f"{PREFIX}/api/one/", f"{PREFIX}/api/two/"]
    for one in listed:
        ready = outside.ask("GET", f"{one['address']}ready").json()
        assert ready["fingerprint"] == one["fingerprint"]
    for path in ("/api/search", "/api/two/search", "/nope"):
        problem = outside.ask("GET", PREFIX + path, headers={"Accept": "*/*"}).json()
        assert problem["instance"] == PREFIX + path
    tags = [outside.ask("GET", f"{PREFIX}/api/search?q=zoos").headers["etag"] for _ in range(2)]
    assert tags[0] == tags[1]
    held = outside.ask("GET", f"{PREFIX}/api/search?q=zoos", headers={"If-None-Match": tags[0]})
    assert held.status_code == 304
    assert outside.ask("GET", PREFIX).text == outside.ask("GET", f"{PREFIX}/").text
    # A shared cache must not give to others what one client's header did.
    varies = FORWARDED_PREFIX in outside.ask("GET", f"{PREFIX}/").headers.get("vary", "")
    assert varies == bool(outside.headers)


HOSTILE = [
    "//evil.example",
    "///evil",
    "/args//evil",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    '/"><script>alert(1)</script>',
    "/'x",
    "/a b",
    " /a",
    "/a\tb",
    "/a\n",
    "/a\r\nSet-Cookie: a=b",
    "/..",
    "/a/../b",
    "/./a",
    "/a/..",
    "/%2e%2e",
    "/{{ 7 * 7 }}",
    "/a?b",
    "/a#b",
    "/a;b",
    "/a, /b",
    "/é",
    "",
    "a",
    "/" + "a" * 5000,
    "/a" * 5000 + "/",
    *(f"/{word}" for word in sorted(OWN_WORDS)),
    "/api/x",
]
PAGES = "/", "/docs", "/challenge", "/arguments/zoo-2", "/nope", "/openapi.json", "/llms.txt"


@pytest.fixture(scope="module")
def trusting(several) -> TestClient:
    return TestClient(Behind(several.first), client=PROXY)


@pytest.fixture(scope="module")
def usual(trusting) -> dict[str, str]:
    return {path: told(trusting, path) for path in PAGES}


def told(client: TestClient, path: str, *headers: tuple[bytes, bytes]) -> str:
    """The whole answer, but for the request's id."""
    sent = [(b"x-request-id", b"one"), (b"accept", b"text/html"), *headers]
    answer = client.get(path, headers=sent)
    return f"{answer.status_code} {answer.headers} {answer.text}"


@pytest.mark.parametrize("prefix", HOSTILE, ids=range(len(HOSTILE)))
def test_a_prefix_that_is_no_plain_path_is_not_used(trusting, usual, prefix):
    sent = FORWARDED_PREFIX.encode(), prefix.encode()
    assert {path: told(trusting, path, sent) for path in PAGES} == usual
    assert read_prefix(prefix) is None
    with pytest.raises(InvalidParameter, match="--root-path"):
        read_root_path(prefix)


def test_a_prefix_is_taken_from_trusted_proxies_alone(several, usual, monkeypatch):
    sent = FORWARDED_PREFIX.encode(), b"/args/"
    twice = sent, (FORWARDED_PREFIX.encode(), b"/b")

    def asked(client, root_path=None, headers=(sent,)):
        return told(TestClient(Behind(several.first, root_path), client=client), "/nope", *headers)

    assert 'href="/args/page.css"' in asked(PROXY)
    assert 'href="/args/page.css"' in asked(("::1", 1))
    assert FORWARDED_PREFIX in usual["/nope"], "a cache must not give it to a proxy's client"
    assert asked(STRANGER) == usual["/nope"]
    assert asked(PROXY, headers=twice) == usual["/nope"]
    assert 'href="/page.css"' in asked(PROXY, root_path=""), "told that there is none"
    assert 'href="/own/page.css"' in asked(PROXY, root_path="/own")
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "203.0.113.0/24")
    assert 'href="/args/page.css"' in asked(STRANGER)
    assert asked(PROXY) == usual["/nope"]


def test_plain_paths_are_read():
    given = ["/", "/args", "/args/", "/a/b-c/d_e~f.g", "/.well", "/...", "/apis", "/a" * 100]
    read = ["", "/args", "/args", "/a/b-c/d_e~f.g", "/.well", "/...", "/apis", "/a" * 100]
    assert [read_prefix(one) for one in given] == read
    assert read_root_path(None) is None


def test_the_words_that_no_prefix_begins_with_are_those_of_the_table(several):
    first = {path.partition("?")[0].split("/")[1] for _, path in addresses(several.apps)}
    assert {word for word in first if "." not in word} - {""} == OWN_WORDS - {"mcp"}


def test_a_wrong_root_path_is_said_before_anything_is_opened(capsys):
    assert run(["serve", "--index", "nowhere", "--root-path", "//evil"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: --root-path must be a path such as /args")
    assert len(said.splitlines()) == 1


def test_an_application_that_is_mounted_below_a_path_is_shown_there(several):
    client = TestClient(several.first, root_path="/mounted")
    for path in ("/mounted/docs", "/docs"):
        assert 'href="/mounted/page.css"' in client.get(path).text
