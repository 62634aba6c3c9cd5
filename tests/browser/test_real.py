"""The page on real arguments: everything it has, found and followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.awkward import serving
from tests.browser.test_page import arrive, ask, done, state, titles, until
from tests.browser.test_suggestions import type_in

pytestmark = [pytest.mark.browser, pytest.mark.data, pytest.mark.slow]

SUBSET = "argsme-subset/args-me-subset.json.xz"
QUESTION = "Should school uniforms be required?"
PARTS = ("vectors", "near_duplicates", "counter", "pairs", "premises")


@pytest.fixture(scope="module")
def address(real_parts: Path) -> Iterator[str]:
    with serving(real_parts) as address:
        yield address


def test_a_question_leads_to_both_sides_and_on_to_an_argument(open_page):
    page = open_page("/")
    page.locator("#examples a").first.wait_for()
    ask(page, QUESTION)
    for side in ("for", "against"):
        assert len(titles(page, side)) >= 5
        assert sum("uniform" in title.lower() for title in titles(page, side)) >= 3
    page.locator(".why summary").first.click()
    assert "matches" in page.locator(".why .reason").first.inner_text()
    page.locator(".hit .own-page").first.click()
    page.wait_for_url("**/arguments/**")
    assert page.locator(".whole mark").count() > 0
    assert page.locator("#counter li").count() > 0
    page.locator("#counter a").first.click()
    arrive(page, ".whole p")
    assert page.locator(".whole p").count() > 0


def test_it_is_narrowed(open_page):
    page = open_page(f"/?q={QUESTION}&side=any")
    done(page)
    if not page.locator(".choice").first.is_visible():
        page.get_by_text("Narrow down").click()
    page.locator(".choice").first.wait_for()
    before = page.locator("#status").inner_text()
    page.locator(".choice").first.click()
    until(page, "location.search.includes('where') || location.search.includes('stance')")
    done(page)
    assert page.locator("#status").inner_text() != before
    assert page.locator(".chip").count() == 1
    page.locator(".chip").first.click()
    done(page)
    assert not {"where", "stance"} & set(state(page))
    assert page.locator(".chip").count() == 0


@pytest.mark.parametrize("view", ["pairs", "premises", "map"])
def test_every_view_has_something(open_page, view):
    page = open_page(f"/?q={QUESTION}&view={view}")
    done(page)
    shown = page.locator("article.hit, .map circle")
    assert shown.count() > 5
    assert page.get_by_role("alert").inner_text() == ""


def test_suggestions_come_from_its_conclusions(open_page):
    page = open_page("/")
    type_in(page, "school uni")
    first = page.locator("#suggestions [role=option]").first
    first.filter(has_text=re.compile("uniform", re.IGNORECASE)).wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    done(page)
    assert page.locator(".hit").count() > 0


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("path", ["", "&view=pairs", "&view=premises", "&view=map"])
def test_real_text_is_never_cut_off(open_page, width, path):
    page = open_page(f"/?q={QUESTION}{path}", width)
    done(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
