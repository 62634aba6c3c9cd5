"""The choice between the indexes of one server."""

from __future__ import annotations

import pytest

from tests.browser.pages import ask, done, open_more, state, titles, until
from tests.browser.test_accessible import found_by_axe

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NAMES = ["odd", "the-sample-corpus", "posts"]


def shown(page) -> list[str]:
    return page.locator("#indexes a").all_inner_texts()


def current(page) -> list[str]:
    return page.locator("#indexes [aria-current=page]").all_inner_texts()


def choose(page, name: str) -> None:
    page.get_by_role("navigation", name="Index:").get_by_role("link", name=name).click()
    page.wait_for_url(f"**index={name}**")
    until(page, "document.getElementById('index').textContent !== ''")


def test_one_index_is_no_choice(open_page):
    page = open_page("/?q=school+uniforms")
    assert not page.locator("#indexes").is_visible()
    assert "index" not in state(page)


def test_an_index_is_chosen_and_stays_chosen(open_page, several):
    page = open_page(f"{several}/")
    until(page, "document.querySelectorAll('#indexes a').length === 3")
    assert (shown(page), current(page)) == (NAMES, ["odd"])
    assert "66 arguments" in page.locator("#index").inner_text()
    choose(page, "the-sample-corpus")
    assert current(page) == ["the-sample-corpus"]
    assert "321 arguments" in page.locator("#index").inner_text()
    ask(page, "teachers tenure")
    assert state(page) == {"index": "the-sample-corpus", "q": "teachers tenure"}
    assert "tenure" in titles(page, "for")[0].lower()
    page.reload()
    done(page)
    assert "tenure" in titles(page, "for")[0].lower()
    page.get_by_role("link", name="argsearch", exact=True).click()
    until(page, "document.querySelectorAll('#examples a').length > 0")
    assert state(page) == {"index": "the-sample-corpus"}
    wanted = page.request.get(f"{several}/api/the-sample-corpus/examples").json()["examples"]
    assert page.locator("#examples a").all_inner_texts() == wanted
    page.locator("#examples a").first.click()
    done(page)
    assert state(page) == {"index": "the-sample-corpus", "q": wanted[0]}


def test_the_question_goes_along_and_the_filters_of_an_index_do_not(open_page, several):
    page = open_page(f"{several}/?q=zoos&side=any&where=words+%3E+5&w_cluster=2")
    choose(page, "the-sample-corpus")
    done(page)
    assert state(page) == {
        "index": "the-sample-corpus",
        "q": "zoos",
        "side": "any",
        "w_cluster": "2",
    }
    choose(page, "posts")
    done(page)
    assert len(titles(page, "any")) == 10, "one list: all of its arguments are for"
    assert not page.locator(".own").count()
    page.go_back()
    done(page)
    assert current(page) == ["the-sample-corpus"]


def test_everything_on_the_page_is_of_its_index(open_page, several):
    asked = []
    page = open_page(f"{several}/?index=the-sample-corpus&q=teachers+tenure")
    page.on("request", lambda request: asked.append(request.url.removeprefix(several)))
    done(page)
    page.get_by_text("Narrow down").click()
    page.locator(".choice").first.wait_for()
    page.keyboard.press("/")
    page.keyboard.type("zoo")
    page.locator("#suggestions [role=option]").first.wait_for()
    page.keyboard.press("Escape")
    open_more(page)
    page.locator(".cite summary").first.click()
    page.get_by_role("button", name="Copy BibTeX").first.click()
    page.locator(".cite pre:visible").wait_for()
    page.locator(".export summary").first.click()
    page.locator(".export a").first.wait_for()
    exports = page.locator(".export a").evaluate_all("all => all.map((a) => a.pathname)")
    assert set(exports) == {"/api/the-sample-corpus/search"}
    page.get_by_role("link", name="Map").first.click()
    done(page)
    assert page.locator(".map circle").count() > 10
    called = {url.partition("?")[0] for url in asked if url.startswith("/api/")}
    assert called >= {f"/api/the-sample-corpus/{path}" for path in ("search", "suggest", "map")}
    assert all(path.startswith("/api/the-sample-corpus/") for path in called)


def test_an_index_that_is_not_there_is_said_and_the_others_are_offered(open_page, several):
    page = open_page(f"{several}/?index=nope&q=zoos")
    page.locator("#indexes").wait_for()
    assert page.get_by_role("alert").inner_text() == "This server has no index of that name."
    assert (shown(page), current(page)) == (NAMES, [])
    choose(page, "posts")
    done(page)
    assert state(page) == {"index": "posts", "q": "zoos"}
    assert page.get_by_role("alert").inner_text() == ""


def test_the_choice_is_accessible_at_every_width(open_page, several):
    page = open_page(f"{several}/?q=zoos&index=the-sample-corpus")
    for width in (1280, 360, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("#indexes").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert found_by_axe(page) == ""
    page.emulate_media(media="print")
    assert not page.locator("#indexes").is_visible()
