"""The page of one argument, in a real browser."""

from __future__ import annotations

import pytest

from tests.browser.pages import arrive, open_more

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_every_hit_leads_to_a_page_of_its_own(open_page):
    page = open_page("/?q=zoos&side=any")
    links = page.locator(".open").evaluate_all("links => links.map(link => link.href)")
    assert len(links) == 6
    for link in links:
        assert page.request.get(link).status == 200
    card = page.locator(".hit", has=page.get_by_text("Ann O'Nym"))
    open_more(card)
    card.get_by_text("Argument’s page").click()
    arrive(page, ".facts")
    assert page.locator("h1").inner_text() == "Supports: “Zoos should be abolished”"
    assert set(page.locator("mark").all_inner_texts()) == {"Zoos"}
    assert "Id\nzoo/1#a?b=c&d%20" in page.locator(".facts").inner_text()
    assert "@misc{zoo/1" in page.get_by_label("BibTeX").inner_text()
    page.get_by_role("link", name="All arguments on “zoos”").click()
    page.locator(".column.for .hit").first.wait_for()
    page.goto("/arguments/nope%2Fnever?q=zoos")
    assert "nope/never" in page.locator("main").inner_text()
    page.get_by_role("link", name="All arguments on “zoos”").click()
    page.locator(".hit").first.wait_for()


def test_the_keyboard_and_print_are_enough(open_page):
    page = open_page("/arguments/zoo-2?q=zoos")
    names = []
    for _ in range(8):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.textContent"))
    assert "All arguments on “zoos”" in names
    assert "This argument as JSON" in names
    page.emulate_media(media="print")
    assert page.locator(".whole").is_visible()
