"""Both sides of a question by one request, and a chosen side that stays chosen."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.pages import ask, done, state, titles, until, wait

pytestmark = pytest.mark.browser


def searches(page) -> list[dict[str, str]]:
    """Every later search of the page, as it is asked."""
    asked: list[dict[str, str]] = []

    def note(request) -> None:
        parts = urlsplit(request.url)
        if parts.path == "/api/search":
            asked.append({key: values[0] for key, values in parse_qs(parts.query).items()})

    page.on("request", note)
    return asked


def test_one_request_has_both_sides_and_one_more_of_a_side(open_page):
    page = open_page("/")
    asked = searches(page)
    ask(page, "school uniforms")
    assert [one["side"] for one in asked] == ["both"]
    answers = {
        side: page.request.get(f"/api/search?q=school+uniforms&side={side}").json()
        for side in ("for", "against")
    }
    for side, answer in answers.items():
        shown = page.locator(f".column.{side} h3 bdi").all_inner_texts()
        assert shown == [hit["conclusion"] for hit in answer["hits"]]
        count = page.locator(f".column.{side} .count").inner_text()
        assert count == f": {answer['total']} arguments"
    assert "60 arguments found" in page.locator("#status").inner_text()
    page.get_by_role("button", name="Show 10 more against").click()
    until(page, "document.querySelectorAll('.column.against .hit').length === 20")
    assert [(one["side"], one["page"]) for one in asked[1:]] == [("against", "2")]
    wanted = page.request.get("/api/search?q=school+uniforms&side=against&k=20").json()["hits"]
    shown = page.locator(".column.against h3 bdi").all_inner_texts()
    assert shown == [hit["conclusion"] for hit in wanted]
    page.reload()
    done(page)
    assert [(one["side"], one["k"]) for one in asked[2:]] == [("both", "20")]
    assert len(titles(page, "against")) == len(titles(page, "for")) == 20


def test_a_slider_asks_once_for_both_sides(open_page):
    page = open_page("/?q=school+uniforms")
    page.get_by_text("Narrow down").click()
    page.get_by_text("For researchers").click()
    page.locator("#facets button").first.wait_for()
    done(page)
    asked = searches(page)
    page.get_by_label("Topic’s weight").focus()
    page.keyboard.press("End")
    page.wait_for_url("**w_cluster=10**")
    done(page)
    until(page, "document.querySelectorAll('.column.two, .columns.two .column').length === 2")
    lists = [one for one in asked if "facet" not in one]
    assert [(one["side"], one["w_cluster"]) for one in lists] == [("both", "10")]


def test_an_older_answer_never_takes_the_place_of_a_newer_one(open_page):
    page = open_page("/")
    done(page)
    held = []
    page.route("**/api/search?q=zoos*", lambda route: held.append(route))
    page.get_by_label("Your question").fill("zoos")
    page.keyboard.press("Enter")
    wait(page, lambda: held, "the first question is asked")
    assert len(held) == 1
    ask(page, "school uniforms")
    shown = titles(page, "for")
    assert len(shown) == 10
    held[0].continue_()
    page.unroute("**/api/search?q=zoos*")
    page.wait_for_timeout(200)  # time for what must not happen
    assert titles(page, "for") == shown
    assert page.title() == "school uniforms · argsearch"


def test_a_side_that_the_address_says_stays_when_a_filter_goes(open_page):
    page = open_page("/?q=zoos&stance=pro&side=any")
    assert len(titles(page, "any")) == 2
    page.get_by_role("button", name="Remove the filter argues for it").click()
    until(page, "!location.search.includes('stance')")
    done(page)
    assert state(page) == {"q": "zoos", "side": "any"}
    assert page.get_by_label("One list, any side").is_checked()
    assert len(titles(page, "any")) == 6
    page.go_back()
    done(page)
    assert state(page)["side"] == "any"
    assert len(titles(page, "any")) == 2


def test_the_usual_lists_come_back_where_no_side_was_chosen(open_page):
    page = open_page("/?q=zoos&stance=pro")
    assert page.get_by_label("One list, any side").is_checked()
    page.get_by_role("button", name="Remove the filter argues for it").click()
    until(page, "!location.search.includes('stance')")
    done(page)
    assert state(page) == {"q": "zoos"}
    assert page.locator(".column h2 .title").all_inner_texts() == ["For", "Against"]
    page.goto("/?q=zoos&side=any")
    done(page)
    page.get_by_text("Narrow down").click()
    page.get_by_label("For and against").check()  # what is usual is not said
    until(page, "!location.search.includes('side')")
    done(page)
    assert page.locator(".column h2 .title").all_inner_texts() == ["For", "Against"]
    assert state(page) == {"q": "zoos"}
