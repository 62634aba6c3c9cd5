"""Tokens, limits, other origins, request ids, tags and log lines."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from fastapi import APIRouter, Request
from hypothesis import given
from hypothesis import strategies as st
from starlette.routing import BaseRoute
from starlette.testclient import TestClient

from argsearch.api.http import opened
from argsearch.api.http.access import (
    Access,
    Rate,
    Tokens,
    network,
    read_origins,
    read_rate,
    read_tokens,
)
from argsearch.api.http.app import Application, create_app
from argsearch.api.http.middleware import HEADERS
from argsearch.api.http.pages import PAGE_FILES
from argsearch.api.http.several import Several
from argsearch.api.serve.logs import Log
from argsearch.indexer.errors import InvalidParameter

TOKEN = "correct-horse-battery"
ASKED = "/api/search?q=zoos"


@pytest.fixture(scope="module")
def client(awkward_index: Path) -> Iterator[TestClient]:
    access = Access(
        origins=("https://example.org",), tokens=("another-token-0123", TOKEN), rate=0.5
    )
    with TestClient(create_app(awkward_index, access)) as client:
        yield client


@pytest.fixture(scope="module")
def open_client(awkward_index: Path) -> Iterator[TestClient]:
    with TestClient(create_app(awkward_index)) as client:
        yield client


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"anyone:{password}".encode()).decode()


WRONG = [None, "", "Bearer", "Bearer wrong", f"Token {TOKEN}", basic("wrong"), "Basic ?"]


@pytest.mark.parametrize("header", WRONG)
def test_without_a_token_nothing_is_answered(client, header):
    for path in ("/openapi.json", "/nope"):
        answer = client.get(path, headers={} if header is None else {"Authorization": header})
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.json()["request_id"] == answer.headers["x-request-id"]
    for right in (f"Bearer {TOKEN}", f"bearer  {TOKEN} ", basic(TOKEN)):
        assert client.get("/openapi.json", headers={"Authorization": right}).status_code == 200


@given(st.binary(max_size=80))
def test_no_other_header_is_a_token(header):
    sent = Request({"type": "http", "headers": [(b"authorization", header)]})
    assert not Tokens([TOKEN]).accepts(sent)


@pytest.mark.thorough
def test_the_description_says_what_is_asked_for(client, open_client):
    document = client.get("/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"}).json()
    answers = document["paths"]["/api/search"]["get"]["responses"]
    assert {"401", "429"} <= set(answers)
    assert "401" not in document["paths"]["/health"]["get"]["responses"]
    answers = open_client.get("/openapi.json").json()["paths"]["/api/search"]["get"]["responses"]
    assert not {"401", "429"} & set(answers)


@pytest.mark.parametrize("text", ["", "\n", "short", "a token with spaces\n", "ünïcode-0123456789"])
def test_a_file_without_tokens_is_refused(tmp_path, text):
    path = tmp_path / "tokens"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidParameter, match="--token-file"):
        read_tokens(path)
    with pytest.raises(InvalidParameter, match="No such file"):
        read_tokens(tmp_path / "none")


def test_tokens_are_lines(tmp_path):
    path = tmp_path / "tokens"
    for mark in ("", "\ufeff"):
        path.write_text(f"{mark}{TOKEN}\n\nanother-token-0123\n", encoding="utf-8")
        assert read_tokens(path) == (TOKEN, "another-token-0123")
    assert TOKEN not in repr(Access(tokens=(TOKEN,)))


@pytest.fixture
def halted(monkeypatch):
    """However long a test takes, no time passes for a rate."""
    now = SimpleNamespace(monotonic=lambda: 1000.0)
    monkeypatch.setattr("argsearch.api.http.access.time", now)


def test_a_rate_is_kept_for_each_client(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("argsearch.api.http.access.time.monotonic", lambda: now[0])
    rate = Rate(5)
    assert [rate.wait("a") for _ in range(5)] == [0.0] * 5
    assert rate.wait("a") == pytest.approx(0.2)
    assert rate.wait("2001:db8:1:2::1") == rate.wait("2001:db8:1:3::1") == 0.0
    assert [rate.wait("2001:db8:1:2:3::9") for _ in range(5)][3:] == [0.0, pytest.approx(0.2)]
    now[0] += 0.2
    assert rate.wait("a") == 0.0
    assert rate.wait("a") > 0
    now[0] += 1000
    assert [rate.wait("a") > 0 for _ in range(6)] == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8:0:0:5::9", True),
        ("2001:db8::1", "2001:DB8:0:0:0:0:0:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::1:2:3:4:5", "0:0:0:1::9", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("unknown", "unknown", True),
    ],
)
def test_an_address_is_told_apart_by_its_network_however_it_is_written(one, other, same):
    assert (network(one) == network(other)) is same


def test_rates_and_origins_are_read():
    assert [read_rate(text) for text in ("5/s", "0.5/s", None)] == [5.0, 0.5, None]
    for text in ("5", "5/m", "/s", "0/s", "-1/s", "nan/s", "inf/s", "five/s"):
        with pytest.raises(InvalidParameter, match="--rate-limit"):
            read_rate(text)
    for origin in ("example.org", "https://example.org/", "ftp://a", "https://a b"):
        with pytest.raises(InvalidParameter, match="--cors"):
            read_origins([origin])


def test_other_origins_may_read_where_they_are_named(client, open_client):
    asking = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    before = client.options(ASKED, headers=asking)
    assert before.status_code == 200  # asked without a token, as browsers do
    assert before.headers["access-control-allow-origin"] == "https://example.org"
    refused = client.get(ASKED, headers={"Origin": "https://example.org"})
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == "https://example.org"
    for other in (client.get("/health", headers={"Origin": "https://evil.example"}),):
        assert "access-control-allow-origin" not in other.headers
    answer = open_client.get(ASKED, headers={"Origin": "https://example.org"})
    assert "access-control-allow-origin" not in answer.headers


def test_an_answer_that_the_caller_has_is_not_sent_again(open_client):
    first = open_client.get(ASKED)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    for header in (tag, f'"other", {tag}', tag.removeprefix("W/")):
        again = open_client.get(ASKED, headers={"If-None-Match": header})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
        assert again.headers["x-index-fingerprint"] == first.headers["x-index-fingerprint"]
    for path, header in ((ASKED, 'W/"other"'), (f"{ASKED}&k=3", tag), (ASKED, "")):
        assert open_client.get(path, headers={"If-None-Match": header}).status_code == 200
    assert open_client.head(ASKED).headers["etag"] == tag
    for path in ("/api/search?q=", "/api/arguments/none", "/api/nope"):
        assert "etag" not in open_client.get(path).headers, "a problem has no tag"


def test_what_another_version_or_index_answered_is_sent_again(open_client, monkeypatch):
    headers = {"If-None-Match": open_client.get(ASKED).headers["etag"]}
    assert open_client.get(ASKED, headers=headers).status_code == 304
    engine = open_client.app.state.engine
    info = replace(engine.info, fingerprint="another")
    for place, name, value in ((opened, "__version__", "another"), (engine.backend, "info", info)):
        with monkeypatch.context() as patched:
            patched.setattr(place, name, value)
            again = open_client.get(ASKED, headers=headers)
        assert again.status_code == 200
        assert again.headers["etag"] != headers["If-None-Match"]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("star", ["*", " * "])
def test_any_answer_that_there_is_can_be_held(open_client, method, star):
    headers = {"If-None-Match": star}
    again = open_client.request(method, f"{ASKED}&k=40", headers=headers)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == open_client.head(f"{ASKED}&k=40").headers["etag"]
    assert not {"content-length", "content-type", "content-encoding"} & set(again.headers)
    for path, status in (("/api/arguments/none", 404), (f"{ASKED}&k=0", 422), ("/health", 200)):
        assert open_client.request(method, path, headers=headers).status_code == status


def test_a_sane_request_id_is_taken_over(open_client):
    sane = open_client.get(ASKED, headers={"X-Request-ID": "job-7.a_B~1"})
    assert sane.headers["x-request-id"] == "job-7.a_B~1"
    problem = open_client.get("/api/search", headers={"X-Request-ID": "job-8"})
    assert problem.json()["request_id"] == problem.headers["x-request-id"] == "job-8"


@pytest.mark.parametrize("bad", ["", "a b", "-a", "a" * 65, 'a"b', "<script>"])
def test_any_other_is_made_anew(open_client, bad):
    made = {
        open_client.get(ASKED, headers={"X-Request-ID": bad}).headers["x-request-id"]
        for _ in range(3)
    }
    assert len(made) == 3
    assert bad not in made


@pytest.fixture
def no_log(monkeypatch):
    """Loggers as in a process that has just started; restored at the end."""
    loggers = [logging.getLogger(name) for name in (None, "argsearch")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        monkeypatch.setattr(logger, "handlers", [])
        monkeypatch.setattr(logger, "propagate", True)
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


@pytest.mark.thorough
@pytest.mark.parametrize("questions", [False, True])
def test_a_line_of_the_log_tells_no_question(awkward_index, capfd, no_log, questions):
    log = Log("json", questions)
    log.install()
    with TestClient(create_app(awkward_index, log=log)) as client:
        client.get("/api/search?q=zoos+secretly", headers={"X-Request-ID": "job-9"})
        client.get("/api/arguments/secretly")
        client.get("/secretly")
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [line["status"] for line in lines] == [200, 404, 404]
    assert [line["route"] for line in lines] == ["/api/search", "/api/arguments/{id:path}", "other"]
    assert lines[0]["request_id"] == "job-9"
    assert len(lines[0]["fingerprint"]) == 64
    assert lines[0]["milliseconds"] > 0
    assert ("secretly" in json.dumps(lines)) is questions


def test_other_messages_are_lines_too(capfd, no_log):
    Log("json").install()
    try:
        raise ValueError("why")
    except ValueError:
        logging.getLogger("argsearch").exception("what\nhappened")
    (line,) = capfd.readouterr().err.splitlines()
    read = json.loads(line)
    assert (read["level"], read["message"]) == ("error", "what\nhappened")
    assert "ValueError: why" in read["traceback"]


def routes(within: Application | APIRouter) -> Iterator[BaseRoute]:
    """Its routes, and those of the routers that it includes."""
    for route in within.routes:
        included = getattr(route, "original_router", None)
        yield from routes(included) if included else [route]


def addresses(apps: dict[str, Application]) -> set[tuple[str, str]]:
    """Methods and addresses of all routes, also as the routes of one of several indexes."""
    found = set()
    for name, app in apps.items():
        for route in routes(app):
            path = re.sub(r"\{.*?\}", "x", route.path)
            paths = [path]
            if name:
                paths += [f"/api/{name}{path.removeprefix('/api')}", f"{path}?index={name}"]
            found |= {(method, one) for one in paths for method in route.methods}
    return found


FREE = ("/health", "/ready", "/api/one/ready", "/api/two/ready")
CHEAP = (*FREE, "/metrics", "/openapi.json", *PAGE_FILES)


@pytest.mark.parametrize("names", [[""], ["one", "two"]])
def test_every_route_has_a_token_a_limit_and_headers(awkward_index, halted, names):
    access = Access(tokens=[TOKEN], rate=0.5, writers=["a-token-of-a-writer"])
    follow = str(awkward_index)
    apps = {name: create_app(follow, access, follow=follow) for name in names}
    served = Several(apps) if names[0] else apps[""]
    with TestClient(served, raise_server_exceptions=False) as client:
        table = addresses(apps)
        assert ("POST", "/api/add") in table
        used_up = client.get(ASKED, headers={"Authorization": f"Bearer {TOKEN}"})
        assert used_up.status_code == 200
        for method, address in sorted(table):
            path = address.partition("?")[0]
            for headers in ({}, {"Authorization": f"Bearer {TOKEN}"}):
                status = 429 if headers else 401
                answer = client.request(method, address, headers=headers)
                free = path in (CHEAP if headers else FREE)
                assert (answer.status_code == status) is not free, (method, address)
                assert answer.status_code != 429 or 1 <= int(answer.headers["retry-after"]) <= 2
                assert set(HEADERS) <= {name.title() for name in answer.headers}, address
                policy = answer.headers["content-security-policy"]
                assert "default-src 'none'" in policy
                assert "unsafe" not in policy
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert answer.headers["referrer-policy"] == "no-referrer"
