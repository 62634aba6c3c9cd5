from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.text.citation import (
    bibtex,
    bibtex_key,
    cite,
    is_web_address,
    markdown_source,
    markdown_text,
)
from argsearch.indexer.corpus.argument import Argument, Premise, Stance


def argument(**context: object) -> Argument:
    return Argument("S1-A2", "Zoos are bad", (Premise("Because.", Stance.PRO),), context)


def test_a_citation_takes_the_portals_own_keys():
    found = cite(
        argument(
            sourceTitle=" Zoos \n now ",
            sourceUrl="https://www.example.org/z",
            author="A. Nym",
            date="2019-05-06T00:00:00Z",
            acquisitionTime="2020-01-02T00:00:00Z",
        )
    )
    assert found.line == "A. Nym, Zoos now, example.org, 2019-05-06"
    assert (found.url, found.accessed) == ("https://www.example.org/z", "2020-01-02")


def test_without_a_context_the_id_is_the_source():
    assert cite(argument()).line == cite(argument(sourceTitle="4041313")).line == "S1-A2"
    assert cite(argument(sourceTitle="1984")).line == "1984"
    assert cite(argument(sourceTitle=7, date=["x"], sourceUrl=None)).line == "S1-A2"


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "ftp://h/x", "//h/x", "https://", "http://[", ""],
)
def test_only_web_addresses_become_links(url):
    assert not is_web_address(url)
    assert cite(argument(sourceUrl=url)).url == ""
    assert "](" not in markdown_source(argument(sourceUrl=url))


def test_bibtex_has_source_and_claim():
    entry = bibtex(
        argument(
            sourceTitle="50% & {more}_#",
            sourceUrl="https://example.org/a b}",
            sourceDomain="portal",
            author="A. Nym",
            date="2019-05-06",
            acquisitionTime="2020-01-02T00:00:00Z",
        )
    )
    assert entry == (
        "@misc{S1-A2,\n"
        "  author = {{A. Nym}},\n"
        "  title = {{50\\% \\& \\{more\\}\\_\\#}},\n"
        "  howpublished = {portal},\n"
        "  year = {2019},\n"
        "  url = {https://example.org/a%20b%7D},\n"
        "  urldate = {2020-01-02},\n"
        "  note = {Argument S1-A2 on: Zoos are bad (pro)}\n"
        "}\n"
    )


@given(st.text(), st.text(), st.text())
def test_bibtex_braces_always_balance(id, title, url):
    entry = bibtex(Argument(id, title, (), {"sourceTitle": title, "sourceUrl": url}))
    depth = 0
    previous = ""
    for character in entry:
        if previous != "\\":
            depth += (character == "{") - (character == "}")
        assert depth >= 0
        previous = character if not (character == previous == "\\") else ""
    assert depth == 0
    assert entry.startswith("@misc{" + bibtex_key(id) + ",\n")


@pytest.mark.thorough
@given(st.text(), st.text())
def test_keys_of_different_ids_of_plain_characters_differ(a, b):
    plain = str.isalnum
    if a != b and all(map(plain, a + b)) and (a + b).isascii():
        assert bibtex_key(a) != bibtex_key(b)


def test_markdown_is_one_line_with_its_signs_escaped():
    assert markdown_text("a *b*\n[c](d) <i> #1") == r"a \*b\* \[c\](d) \<i\> \#1"
    assert (
        markdown_source(argument(sourceTitle="T", sourceUrl="https://example.org/a>b c"))
        == "[T, example.org](<https://example.org/a%3Eb%20c>)"
    )


def test_line_breaks_and_fixed_spaces_are_spaces_in_bibtex():
    entry = bibtex(Argument("a", "One\nclaim", (), {}))
    assert "  title = {{One claim}},\n" in entry
    entry = bibtex(Argument("a", "Fixed\u00a0space\r\n\tand\u0007 tab", (), {}))
    assert "  title = {{Fixed space and tab}},\n" in entry
