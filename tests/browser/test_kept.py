"""A list of arguments that stays in the browser: kept, compared, saved, and labelled."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from studies.reader import judged
from studies.reader.labels import Labels
from studies.reader.lists import Item, Lists, questions
from tests.browser.pages import done, open_more, until
from tests.browser.test_accessible import found_by_axe

pytestmark = pytest.mark.browser

ZOOS = "/?q=Should+zoos+be+abolished%3F"


def keep(page, path: str, sides: tuple[str, ...] = ("for", "against")) -> list[str]:
    """Keep the first argument of some sides of a question; return their titles."""
    page.goto(path)
    done(page)
    cards = [page.locator(f".column.{side} .hit").first for side in sides]
    for card in cards:
        card.get_by_role("button", name="Keep").click()
        assert card.locator(".keep").inner_text().startswith("Kept")
    return [card.locator("h3 bdi").inner_text() for card in cards]


def visit(page) -> None:
    page.get_by_role("navigation", name="Your list").get_by_role("link").click()
    page.wait_for_url("**view=kept**")
    done(page)
    assert page.get_by_role("heading", name="Kept arguments", level=1).bounding_box()["height"] > 20


def saved(page, name: str) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_kept_arguments_stay_and_can_be_compared_saved_and_removed(open_page):
    page = open_page("/")
    page.on("dialog", lambda dialog: dialog.accept())
    kept = keep(page, ZOOS) + keep(page, "/?q=school+uniforms", ("for",))
    page.reload()
    done(page)
    assert page.locator(".column.for .keep").first.inner_text().startswith("Kept")
    visit(page)
    cards = page.locator(".hit")
    assert cards.locator("h3 bdi").all_inner_texts() == kept
    assert cards.locator(".side").all_inner_texts() == ["For", "Against", "For"]
    assert "Kept for: school uniforms" in cards.last.inner_text()
    rows = list(csv.DictReader(saved(page, "CSV").splitlines()))
    assert [row["conclusion"] for row in rows] == kept
    assert {"question": "Should zoos be abolished?", "side": "for", "author": "Ann O'Nym"} | {
        "year": "2019",
        "url": "https://example.org/zoos?a=1&b=2",
    } in [
        {name: row[name] for name in ("question", "side", "author", "year", "url")} for row in rows
    ]
    cards.first.get_by_label("Pick").check()
    assert saved(page, "BibTeX").count("@misc{") == 1
    cards.last.get_by_label("Pick").check()
    headings = [line for line in saved(page, "Markdown").splitlines() if line.startswith("## ")]
    assert headings == ["## For: Should zoos be abolished?", "## For: school uniforms"]
    page.get_by_role("button", name="Compare picked").click()
    assert [card.is_visible() for card in cards.all()] == [True, False, True]
    page.locator(".text p").nth(1).wait_for()
    first, last = cards.first.bounding_box(), cards.last.bounding_box()
    assert (first["y"], first["width"]) == (last["y"], last["width"])
    page.set_viewport_size({"width": 360, "height": 900})
    assert cards.last.bounding_box()["x"] == cards.first.bounding_box()["x"]
    cards.first.get_by_role("button", name="Remove").click()
    assert cards.locator("h3 bdi").all_inner_texts() == kept[1:]
    focused = page.evaluate("document.activeElement.textContent")
    assert focused == f"Opposes: “{kept[1]}”"
    page.get_by_role("button", name="Remove all").click()
    assert "You have kept nothing yet" in page.locator("#results").inner_text()
    assert page.locator("#kept").inner_text() == "Kept (0)"


def test_an_argument_that_is_gone_is_named(open_page):
    page = open_page("/")
    kept = keep(page, ZOOS)
    name = "Object.keys(localStorage)[0]"
    gone = f"localStorage.getItem({name}).replace('zoo-2', 'nope')"
    page.evaluate(f"localStorage.setItem({name}, {gone})")
    visit(page)
    rows = list(csv.DictReader(saved(page, "CSV").splitlines()))
    assert [row["conclusion"] for row in rows] == kept[:1]
    page.locator("#error", has_text=f"no longer in this collection: “{kept[1]}”.").wait_for()
    other = page.context.new_page()
    other.goto(page.url)
    done(other)
    other.locator(".hit").first.get_by_role("button", name="Remove").click()
    until(page, "document.querySelectorAll('.hit').length === 1")
    assert page.locator(".hit h3 bdi").all_inner_texts() == kept[1:]
    page.get_by_role("button", name="CSV").click()
    none = "None of these arguments is in this collection any more."
    page.locator("#error", has_text=none).wait_for()


def test_labels_of_sides_are_read_by_the_study(open_page, tmp_path):
    page = open_page(ZOOS)
    page.on("dialog", lambda dialog: dialog.accept())
    shown = {}
    for side, said in (("for", "Against"), ("against", "Neither")):
        card = page.locator(f".column.{side} .hit").first
        open_more(card)
        card.get_by_text("Wrong side?").click()
        assert card.get_by_role("radio", name="Against" if side == "for" else "For").is_checked()
        card.get_by_role("radio", name=said).check()
        card.get_by_label("The sentence shown is its main point").uncheck()
        card.get_by_role("button", name="Save label").click()
        shown[side] = card.locator(".pick").input_value()
    visit(page)
    for name in ("questions", "labels"):
        (tmp_path / name).write_text(saved(page, f"Download {'their ' * (name[0] == 'q')}{name}"))
    asked = questions(tmp_path / "questions")
    assert [one.text for one in asked] == ["Should zoos be abolished?"]
    items = [
        Item(f"{asked[0].id}.{i}", asked[0].id, "for", id, None, None, "", "", 0)
        for i, id in enumerate(shown.values())
    ]
    lists, labels = Lists({}, asked, {}, items, {}), Labels()
    for row in judged.carried(tmp_path / "labels", lists):
        labels.add(row, lists)
    assert [(one.usable, one.right, one.snippet) for one in labels.items.values()] == [
        (True, "0", False),
        (True, "n", False),
    ]
    page.get_by_role("button", name="Delete labels").click()
    assert page.get_by_role("button", name="Download labels").count() == 0


@pytest.mark.parametrize(
    "broken",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })",
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }",
    ],
    ids=["blocked", "full"],
)
def test_a_browser_that_stores_nothing_says_so(open_page, broken):
    page = open_page("about:blank")
    page.add_init_script(broken)
    page.goto(ZOOS)
    done(page)
    for _ in range(2):
        page.get_by_role("button", name="Keep number 1").first.click()
    said = page.get_by_role("alert").filter(has_text="This browser cannot store it")
    assert said.count() == 1
    assert page.locator(".keep").first.inner_text().startswith("Keep")
    visit(page)
    assert page.locator("#kept").inner_text() == "Kept (0)"


@pytest.mark.slow
def test_the_list_is_accessible_and_has_no_controls_on_paper(open_page):
    page = open_page("/")
    keep(page, ZOOS)
    open_more(page)
    page.get_by_text("Wrong side?").first.click()
    page.get_by_role("button", name="Save label").click()
    assert found_by_axe(page) == ""
    page.emulate_media(forced_colors="none", color_scheme="light", contrast="no-preference")
    visit(page)
    for box in page.get_by_label("Pick").all():
        box.check()
    compare = page.get_by_role("button", name="Compare picked")
    compare.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.locator(".text p").nth(1).wait_for()
    assert found_by_axe(page) == ""
    page.set_viewport_size({"width": 320, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.emulate_media(media="print")
    assert page.locator("article.hit p.sentence").first.is_visible()
    left = page.locator("button, input, summary, nav").all()
    assert [one.evaluate("one => one.outerHTML") for one in left if one.is_visible()] == []
