"""The page of one argument, in a real browser."""

from __future__ import annotations

import pytest

from tests.api.awkward import ARGUMENTS
from tests.browser.test_page import arrive, done, open_more

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = ("zoo/1#a?b=c&d%20", "xss")
"""Of the awkward arguments, those whose id or text would do the most harm."""


def test_every_hit_leads_to_a_page_of_its_own(open_page):
    page = open_page("/?q=zoos&side=any")
    done(page)
    links = page.locator(".open").evaluate_all("links => links.map(link => link.href)")
    assert len(links) == 6
    for link in links:
        assert page.request.get(link).status == 200
    card = page.locator(".hit", has=page.get_by_text("Ann O'Nym"))
    open_more(card)
    card.get_by_text("Argument’s page").click()
    arrive(page, ".facts")
    assert page.locator("h1").inner_text() == "Agrees with: “Zoos should be abolished”"
    assert set(page.locator("mark").all_inner_texts()) == {"Zoos"}
    assert "Id\nzoo/1#a?b=c&d%20" in page.locator(".facts").inner_text()
    assert "@misc{zoo/1" in page.get_by_label("BibTeX").inner_text()
    page.get_by_role("link", name="All arguments on “zoos”").click()
    page.locator(".column.for .hit").first.wait_for()


def test_the_whole_text_stands_in_paragraphs(open_page):
    page = open_page("/arguments/zoo-2")
    texts = page.locator(".whole p").all_inner_texts()
    assert texts == ['Zoos save species, "says" the keeper.', "They do, 😀 zoos!"]
    assert page.locator("mark").count() == 0
    assert page.locator(".facts a").count() == 0  # its address is a script
    address = page.get_by_role("link", name="This argument as JSON").get_attribute("href")
    assert page.request.get(address).json()["id"] == "zoo-2"


@pytest.mark.parametrize(
    "argument",
    [
        one if one["id"] in HOSTILE else pytest.param(one, marks=pytest.mark.slow)
        for one in ARGUMENTS[:6]
    ],
    ids=lambda argument: argument["id"],
)
def test_text_of_a_corpus_stays_text(open_page, argument):
    page = open_page("/")
    page.goto(page.evaluate("id => '/arguments/' + encodeURIComponent(id)", argument["id"]))
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, script").count() == 0
    assert (argument["conclusion"] or "No title") in page.locator("h1").inner_text()


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param("<script>hacked=1</script>", marks=pytest.mark.slow),
        '"><img src=x onerror=hacked=1>',
    ],
)
def test_text_of_a_caller_stays_text(open_page, hostile):
    page = open_page("/")
    for id in ("zoo-2", hostile):
        address = "([id, q]) => `/arguments/${encodeURIComponent(id)}?${new URLSearchParams({q})}`"
        page.goto(page.evaluate(address, [id, hostile]))
        assert page.evaluate("window.hacked") is None
        assert page.locator("img, script").count() == 0
        assert hostile in page.locator(".tagline").first.inner_text()


def test_an_unknown_id_is_a_page(open_page):
    page = open_page("/arguments/nope%2Fnever?q=zoos")
    assert "nope/never" in page.locator("main").inner_text()
    assert page.request.get("/arguments/nope").status == 404
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
