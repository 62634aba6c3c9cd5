"""The page on real arguments: everything it has, found and followed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.awkward import serving
from tests.browser.pages import arrive, ask, titles

pytestmark = [pytest.mark.browser, pytest.mark.data, pytest.mark.slow]

QUESTION = "Should school uniforms be required?"


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
    page.locator(".hit .rare summary").first.click()
    page.locator(".hit .own-page").first.click()
    page.wait_for_url("**/arguments/**")
    assert page.locator(".whole mark").count() > 0
    assert page.locator("#counter li").count() > 0
    page.locator("#counter a").first.click()
    arrive(page, ".whole p")
    assert page.locator(".whole p").count() > 0


@pytest.mark.parametrize("view", ["arguments", "pairs", "premises", "map"])
def test_every_view_has_something_and_cuts_nothing_off(open_page, view):
    page = open_page(f"/?q={QUESTION}&view={view}")
    assert page.locator("article.hit, .map circle").count() > 5
    assert page.get_by_role("alert").inner_text() == ""
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
