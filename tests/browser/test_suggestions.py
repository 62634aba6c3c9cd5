"""Suggestions while typing: a combobox for mouse, keyboard and screen reader."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.pages import done, state, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OPEN = "!document.getElementById('suggestions').hidden"
SUGGESTED = ["School uniforms are good", "School uniforms are bad"]
OPTIONS = "document.querySelectorAll('#suggestions [role=option] bdi')"
SHOWN = f"{OPEN} && [...{OPTIONS}].map((one) => one.textContent).join() === {','.join(SUGGESTED)!r}"


@pytest.fixture
def typing(open_page):
    """A page in whose box "uniforms" is typed."""
    page = open_page("/")
    type_in(page, "uniforms")
    until(page, SHOWN)  # not what was suggested for its first letters
    return page


def type_in(page, words: str) -> None:
    """Type into the box, and wait for the answer to all of it."""
    until(page, "document.getElementById('q').getAttribute('role') === 'combobox'")
    typed = {"q": [words]}.items()
    with page.expect_response(lambda answer: typed <= parse_qs(urlsplit(answer.url).query).items()):
        page.keyboard.type(words)


def marked(page) -> str | None:
    """The option that a screen reader is told of."""
    id = page.get_by_label("Your question").get_attribute("aria-activedescendant")
    return id and page.locator(f"#{id} bdi").inner_text()


def test_conclusions_are_shown_with_their_arguments(typing):
    shown = typing.locator("#suggestions [role=option] bdi").all_inner_texts()
    assert shown == SUGGESTED
    assert typing.get_by_role("listbox", name="Conclusions in this collection").is_visible()
    box = typing.get_by_role("combobox", name="Your question")
    assert box.get_attribute("aria-expanded") == "true"
    assert box.get_attribute("aria-controls") == "suggestions"
    assert "2 suggestions" in typing.locator("#suggested").text_content()


def test_the_arrows_choose_and_enter_asks(typing):
    box = typing.get_by_label("Your question")
    typing.keyboard.press("ArrowDown")
    typing.keyboard.press("ArrowDown")
    assert marked(typing) == box.input_value() == "School uniforms are bad"
    typing.keyboard.press("ArrowDown")
    assert (marked(typing), box.input_value()) == (None, "uniforms")
    typing.keyboard.press("ArrowUp")
    assert marked(typing) == "School uniforms are bad"
    assert typing.evaluate("document.activeElement.id") == "q"
    typing.keyboard.press("Enter")
    done(typing)
    assert state(typing) == {"q": "School uniforms are bad"}
    assert not typing.evaluate(OPEN)


def test_escape_brings_back_what_was_typed(typing):
    typing.keyboard.press("ArrowDown")
    typing.keyboard.press("Escape")
    assert typing.get_by_label("Your question").input_value() == "uniforms"
    assert not typing.evaluate(OPEN)
    typing.keyboard.press("ArrowDown")
    until(typing, OPEN)
    typing.keyboard.press("Tab")
    until(typing, f"!({OPEN})")


def test_a_fast_typist_gets_the_suggestions_for_all_of_it(open_page):
    page = open_page("/")
    until(page, "document.getElementById('q').getAttribute('role') === 'combobox'")
    page.route("**/api/suggest?q=z&**", lambda _: None)  # never answered
    with page.expect_request("**/api/suggest?q=z&**"):
        page.keyboard.type("z")
    page.keyboard.type("oos should")
    page.get_by_role("option", name="Zoos should be abolished").wait_for()


def test_a_click_asks(typing):
    typing.get_by_role("option", name="School uniforms are good").click()
    done(typing)
    assert state(typing) == {"q": "School uniforms are good"}


def test_text_of_a_corpus_stays_text(open_page):
    page = open_page("/")
    type_in(page, "onerror")
    page.get_by_role("option", name="<img src=x onerror=").wait_for()
    assert page.locator("#suggestions img").count() == 0
    assert page.evaluate("window.hacked") is None


def test_without_suggestions_it_is_a_box(open_page):
    page = open_page("/")
    page.route("**/ready", lambda route: route.fulfill(json=_served(page)))
    page.reload()
    page.locator("#index", has_text="arguments").wait_for()
    page.get_by_label("Your question").press_sequentially("uniforms")
    page.wait_for_timeout(200)
    assert page.get_by_role("searchbox", name="Your question").count() == 1
    assert not page.evaluate(OPEN)
    page.keyboard.press("Enter")
    done(page)
    assert state(page) == {"q": "uniforms"}


def _served(page) -> dict:
    """What a search server's index says of itself."""
    return page.request.get("/ready").json() | {"suggestions": False, "parts": []}
