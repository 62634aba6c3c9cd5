"""The sides of a question on the page: columns, what is unclear, reasons, ranks of quality."""

from __future__ import annotations

import re

import pytest

from tests.browser.pages import ask, done, state, titles, until

pytestmark = pytest.mark.browser


def balance(page) -> str:
    return page.locator("#balance").inner_text()


def towards(page, side: str) -> list[str]:
    return page.locator(f".column.{side} .towards").all_inner_texts()


def test_columns_are_by_the_question_not_by_the_own_conclusion(open_page):
    page = open_page("/?q=zoos")
    assert "“for” means that “zoos” is good, or should be supported." in balance(page)
    against = titles(page, "against")
    ask(page, "Should zoos be abolished?")
    assert titles(page, "for") == against
    assert against[0] == titles(page, "against")[0] == "Zoos should be abolished"
    for side, name in (("for", "For"), ("against", "Against")):
        shown = towards(page, side)
        assert len(shown) == len(titles(page, side))
        assert set(shown) <= {name, f"Probably {side}"}


def test_a_balance_counts_what_was_classified(open_page):
    page = open_page("/?q=Should+zoos+be+abolished%3F")
    counts = "6 arguments found: 2 for, 3 against, 1 neither."
    assert page.locator("#status").inner_text().startswith(counts)
    assert balance(page) == "Neither: 1 unclear"
    assert "does not name a side" not in balance(page)
    page.get_by_role("link", name="All 6 in one list").click()
    page.locator(".column.any .hit").first.wait_for()
    assert state(page)["side"] == "any"
    assert len(titles(page, "any")) == len(towards(page, "any")) == 6


def test_unclear_ones_are_apart_and_named(open_page):
    page = open_page("/?q=zoos")
    assert page.locator(".column.unclear").count() == 0
    button = page.get_by_role("button", name="1 unclear")
    button.click()
    page.locator(".column.unclear").wait_for()
    assert len(titles(page, "unclear")) == 1
    assert titles(page, "unclear") == ["Zoos, and nothing more"]
    assert towards(page, "unclear") == ["Side unclear"]
    assert page.evaluate("document.activeElement === document.querySelector('.unclear h3')")
    assert button.get_attribute("aria-expanded") == "true"
    button.click()
    assert page.locator(".column.unclear").count() == 0
    ask(page, "uniforms")
    assert page.get_by_role("button", name="unclear").count() == 0


def test_more_unclear_ones_follow_on_demand(open_page):
    page = open_page("/?q=are+zoos+good&discriminative=no")
    page.get_by_role("button", name="unclear").click()
    page.get_by_role("button", name="Show 10 more unclear").click()
    until(page, "document.querySelectorAll('.column.unclear .hit').length === 20")
    assert "n" not in state(page)


def test_where_nothing_is_classified_one_list_has_no_labels(open_page):
    page = open_page("/?q=escape+sequence")
    assert page.locator(".column h2 .title").all_inner_texts() == ["All arguments"]
    assert len(titles(page, "any")) == 1
    assert towards(page, "any") == []
    assert "No side is clear for the 1 argument found" in balance(page)


def test_no_half_of_the_page_is_empty(open_page):
    page = open_page("/?q=Should+zoos+be+abolished%3F&stance=con&side=both")
    assert page.locator(".column h2 .title").all_inner_texts() == ["Against"]
    assert ": 0 for, 2 against." in page.locator("#status").inner_text()
    assert balance(page) == ""
    assert page.locator("#columns.two").count() == 0


def test_one_side_can_be_asked_for_and_opens_no_panel(open_page):
    page = open_page("/")
    for side in ("for", "against", "unclear"):
        page.goto(f"/?q=Should+zoos+be+abolished%3F&side={side}")
        done(page)
        assert page.locator(".column h2 .title").all_inner_texts() == [side.capitalize()]
        assert page.get_by_label(f"Only {side}").is_checked()
        assert page.locator("#narrow").get_attribute("open") is None
        assert page.locator(".hit").first.bounding_box()["y"] < 450


def test_older_addresses_filter_by_the_own_stance(open_page):
    page = open_page("/?q=zoos&stance=pro")
    assert len(titles(page, "any")) == 2
    assert not page.get_by_text("Opposes:").count()
    page.locator("#facets button").first.wait_for()
    pressed = page.locator(".choice[aria-pressed=true] bdi").all_inner_texts()
    assert pressed == ["argues for it"]
    assert page.get_by_label("One list, any side").is_checked()
    page.get_by_role("button", name="argues against it").click()
    page.wait_for_url("**stance=con**")
    done(page)
    assert titles(page, "any") == ["Zoos should be abolished", "No conclusion about zoos."]
    assert page.get_by_text("Opposes:").count() == 1
    page.goto("/?q=zoos&stance=any")
    done(page)
    assert len(titles(page, "any")) == 6


def test_a_sentence_says_why_before_the_sum_does(open_page, sampled):
    page = open_page(f"{sampled}/?q=Should+zoos+be+abolished%3F&side=any")
    page.locator(".why summary").first.click()
    reason = page.locator(".why .reason").first.inner_text()
    assert reason.startswith("It ranks here because it matches zoos and abolished, is about your ")
    assert re.search(r"is better argued than (\d of the|all) 9 others shown \(\+\d+ %\)\.$", reason)
    boxes = [page.locator(f".why {part}").first.bounding_box() for part in (".reason", ".tree")]
    assert boxes[0]["y"] < boxes[1]["y"]
    assert "probability of being against" in page.locator(".why .tree").nth(1).inner_text()


def test_a_list_of_one_side_says_so(open_page):
    page = open_page("/")
    texts = "[[12, 1, 14], [1, 12, 200], [12, 4, 16], [0, 2, 2], [0, 0, 9]]"
    said = page.evaluate(
        "import('/balance.js').then((it) => " + texts + ".map(([a, b, total]) => it.countsText("
        "{balance: {read: Math.min(100, total), counts: {for: a, against: b}}}, total)))"
    )
    assert said == [
        ": 12 for, 1 against. Nearly all with a clear side are for.",
        ". Of the first 100: 1 for, 12 against. Nearly all with a clear side are against.",
        ": 12 for, 4 against.",
        ": 0 for, 2 against.",
        ".",
    ]


def test_the_box_has_the_focus_on_arrival_and_by_the_slash(open_page):
    page = open_page("/")
    focused = "document.activeElement === document.getElementById('q')"
    until(page, focused)
    page.keyboard.type("zoos")
    page.keyboard.press("Enter")
    done(page)
    page.goto("/?q=zoos")
    done(page)
    assert not page.evaluate(focused)
    page.locator(".why summary").first.focus()
    page.keyboard.press("/")
    assert page.evaluate(focused)
    page.keyboard.type("a/b")  # replaces what was there; a slash in the box is a slash
    assert page.get_by_label("Your question").input_value() == "a/b"
