"""The page of an index on a real search server: the same, without what only a directory has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argsearch.indexer.server.writing import write
from tests.api.awkward import serving
from tests.browser.test_page import ask, done, state, titles, visit_first
from tests.servers.launcher import ServerUnavailableError, cluster

pytestmark = [pytest.mark.browser, pytest.mark.servers, pytest.mark.slow]

QUESTION = "Should teachers get tenure?"


@pytest.fixture(
    scope="module", params=[pytest.param("elasticsearch", marks=pytest.mark.nightly), "opensearch"]
)
def address(request: pytest.FixtureRequest, sample_index: Path) -> Iterator[str]:
    """One server by day: `tests/contracts/test_servers_http.py` asks both what a page asks."""
    try:
        server = cluster(request.param, heap="1g")
    except ServerUnavailableError as error:
        pytest.skip(str(error))
    with server:
        index = f"{server.url}/sample"
        write(sample_index, index)
        with serving(index) as address:
            yield address


def shown(page) -> dict[str, list[str]]:
    return {side: titles(page, side) for side in ("for", "against")}


def test_a_question_is_answered_as_on_a_directory(open_page, address, sampled):
    there = open_page(f"{sampled}/")
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


def test_what_is_narrowed_is_the_same(open_page, address, sampled):
    facets = []
    for at in (address, sampled):
        page = open_page(f"{at}/?q=zoos&side=any&where=words+%3E+20&sort=-words")
        done(page)
        if not page.locator(".choice").first.is_visible():
            page.get_by_text("Narrow down").click()
        page.locator(".choice").first.wait_for()
        facets.append((titles(page, "any"), page.locator(".choice").all_inner_texts()))
    assert facets[0] == facets[1]
    assert facets[0][0]


def test_an_argument_has_its_page(open_page):
    page = open_page(f"/?q={QUESTION}")
    done(page)
    visit_first(page)
    assert state(page) == {"q": QUESTION}


def test_what_it_has_not_is_not_offered(open_page):
    page = open_page(f"/?q={QUESTION}")
    done(page)
    views = page.locator("#views a").all_inner_texts()
    assert views == ["Arguments", "Key points"]  # what needs no part
    assert page.get_by_label("Your question").get_attribute("role") is None
    assert page.locator("a.counter").count() == 0
    page.goto("/")
    page.locator("#examples a").first.click()
    done(page)
    assert page.locator(".hit").count() > 0
