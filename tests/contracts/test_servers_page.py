"""The page of an index on a real search server: the same, without what only a directory has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argsearch.indexer.server.writing import write
from tests.api.awkward import serving
from tests.browser.pages import ask, done, state, titles, visit_first

pytestmark = [pytest.mark.browser, pytest.mark.servers, pytest.mark.slow]

QUESTION = "Should teachers get tenure?"


@pytest.fixture(scope="module")
def address(opensearch_url: str, sample_index: Path) -> Iterator[str]:
    """Where the page is served; `test_servers_http.py` asks both servers what a page asks."""
    write(sample_index, f"{opensearch_url}/page")
    with serving(f"{opensearch_url}/page") as address:
        yield address


@pytest.fixture(scope="module")
def directory(sample_index: Path) -> Iterator[str]:
    """Where the page is served with the index directory."""
    with serving(sample_index) as address:
        yield address


def shown(page) -> dict[str, list[str]]:
    return {side: titles(page, side) for side in ("for", "against")}


def test_a_question_is_answered_as_on_a_directory_and_the_rest_is_not_offered(
    open_page, address, directory
):
    there = open_page(f"{directory}/")
    ask(there, QUESTION)
    page = open_page("/")
    ask(page, QUESTION)
    assert state(page) == {"q": QUESTION}
    assert shown(page) == shown(there)
    for part in ("#balance", "#status"):
        ours, theirs = (one.locator(part).inner_text().split(", in ")[0] for one in (page, there))
        assert ours == theirs
    page.locator(".why summary").first.click()
    page.locator(".tree").first.wait_for()
    views = page.locator("#views a").all_inner_texts()
    assert views == ["Arguments", "Key points"]  # what needs no part
    assert page.get_by_label("Your question").get_attribute("role") is None
    assert page.locator("a.counter").count() == 0
    visit_first(page)
    assert state(page) == {"q": QUESTION}
    page.goto("/")
    page.locator("#examples a").first.click()
    done(page)
    assert page.locator(".hit").count() > 0


def test_what_is_narrowed_is_the_same(open_page, address, directory):
    facets = []
    for at in (address, directory):
        page = open_page(f"{at}/?q=zoos&side=any&where=words+%3E+20&sort=-words")
        done(page)
        if not page.locator(".choice").first.is_visible():
            page.get_by_text("Narrow down").click()
        page.locator(".choice").first.wait_for()
        facets.append((titles(page, "any"), page.locator(".choice").all_inner_texts()))
    assert facets[0] == facets[1]
    assert facets[0][0]
