"""Addresses of indices on servers, and that no credential is ever shown."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.server.address import is_address, mask, parse

SECRET = "pa55-w0rd"


@pytest.mark.parametrize(
    ("address", "shown", "hosts"),
    [
        ("http://localhost:9200/args", "http://localhost:9200/args", (("localhost", 9200),)),
        ("HTTP://localhost/args/", "http://localhost:9200/args", (("localhost", 9200),)),
        ("https://es.example/args", "https://es.example:443/args", (("es.example", 443),)),
        ("http://[::1]:9201/a-b_c.1", "http://[::1]:9201/a-b_c.1", (("[::1]", 9201),)),
        ("http://a:1,b:2/args", "http://a:1,b:2/args", (("a", 1), ("b", 2))),
        (
            "https://gate.example/es/args",
            "https://gate.example:443/es/args",
            (("gate.example", 443),),
        ),
    ],
)
def test_the_forms_of_an_address(
    address: str, shown: str, hosts: tuple[tuple[str, int], ...]
) -> None:
    parsed = parse(address, {})
    assert str(parsed) == shown
    assert parsed.hosts == hosts
    assert is_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:9200",
        "http://localhost:9200/",
        "http://localhost:9200/args?x=1",
        "http://localhost:99999/args",
        "http://local host/args",
        "http:///args",
        "ftp://localhost/args",
        "http://localhost:9200/*",
        "http://localhost:9200/_all",
        "http://localhost:9200/Args",
        "http://localhost:9200/a,b",
        "http://localhost:9200/" + "a" * 201,
    ],
)
def test_what_is_no_address_is_refused_with_the_form(address: str) -> None:
    with pytest.raises(InvalidParameter, match="must be"):
        parse(address, {})


def test_credentials_come_from_the_environment_or_the_address() -> None:
    found = parse("http://h:1/a", {"ARGSEARCH_ES_API_KEY": SECRET}).credentials
    assert found.api_key == SECRET
    found = parse("http://h:1/a", {"ARGSEARCH_ES_USERNAME": "u", "ARGSEARCH_ES_PASSWORD": SECRET})
    assert (found.credentials.username, found.credentials.password) == ("u", SECRET)
    found = parse(f"http://u%40x:{SECRET}%3A@h:1/a", {"ARGSEARCH_ES_PASSWORD": "other"})
    assert (found.credentials.username, found.credentials.password) == ("u@x", f"{SECRET}:")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("TIMEOUT", "soon"),
        ("TIMEOUT", "0"),
        ("VERIFY", "no"),
        ("CA_CERTS", "/none"),
        *(("API_KEY", f"SECRET{one}") for one in ("\n", "a\r\nHost: b", " ", "é", "\0")),
    ],
)
def test_a_bad_setting_names_itself(key: str, value: str) -> None:
    with pytest.raises(InvalidParameter, match=f"ARGSEARCH_ES_{key}.*must be") as caught:
        parse("http://h:1/a", {f"ARGSEARCH_ES_{key}": value})
    assert "SECRET" not in str(caught.value)


ANY = string.ascii_letters + string.digits + "!$&'()*+,;=:@-._~%/"


@pytest.mark.thorough
@given(st.text(ANY, min_size=1, max_size=12), st.sampled_from(["h:1/a", "h:1/A", "h", "h:x/a"]))
def test_no_credential_is_shown_in_a_text_or_an_error(password: str, rest: str) -> None:
    secret = f"SECRET{password}SECRET"
    address = f"http://user:{secret}@{rest}"
    try:
        shown = repr(parse(address, {"ARGSEARCH_ES_API_KEY": secret}))
    except InvalidParameter as error:
        shown = str(error)
    assert "SECRET" not in shown
    assert "SECRET" not in mask(f"see {address} there")
