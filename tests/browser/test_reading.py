"""What a visitor meets: nothing jumps, nothing is hidden, no words that only researchers know."""

from __future__ import annotations

import json
import re

import pytest

from tests.browser.pages import done
from tests.browser.test_accessible import found_by_axe

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ZOOS = "q=Should+zoos+be+abolished%3F"
GERMAN = "q=sollte+die+Todesstrafe+abgeschafft+werden"
NAMES = """[...document.querySelectorAll('section, nav, [role=region], [role=group]')]
    .filter((place) => place.checkVisibility())
    .map((place) => place.getAttribute('aria-label')
        ?? document.getElementById(place.getAttribute('aria-labelledby'))?.textContent)
    .filter((name) => name)"""
"""By what a screen reader tells the places of the page apart."""


@pytest.mark.parametrize("width", [390, 1280])
def test_no_control_moves_when_one_is_opened(open_page, parted, width):
    page = open_page(f"{parted}/?{ZOOS}&side=any", width)
    row = page.locator(".hit").first.locator(".actions").first
    controls = row.locator(":scope > details > summary, :scope > a")

    def places() -> list[tuple[float, float]]:
        boxes = [one.bounding_box() for one in controls.all()]
        top = row.bounding_box()["y"]
        return [(box["x"], round(box["y"] - top, 1)) for box in boxes]

    before = places()
    assert len(before) == 4
    for name in ("Full text", "Why here?", "More for"):
        row.locator("summary", has_text=name).click()
        assert places() == before, name
    row.locator("summary", has_text="Cite").click()
    assert places() == before
    opened = row.locator(".cite pre, .cite button").first.bounding_box()
    assert opened["y"] > max(one.bounding_box()["y"] for one in controls.all())
    assert opened["width"] > 50


@pytest.mark.parametrize("view", ["", "&view=points", "&view=pairs", "&view=premises"])
def test_words_for_researchers_are_theirs(open_page, parted, view):
    page = open_page(f"{parted}/?{ZOOS}{view}")
    seen = page.locator("body").inner_text()
    fingerprint = page.request.get(f"{parted}/ready").json()["fingerprint"][:12]
    for word in ("configuration", "Score", "Topic", "a word that tells", " ms", fingerprint):
        assert word not in seen
    if not view:
        page.get_by_text("For researchers").click()
        told = page.locator("#numbers").inner_text()
        assert "configuration default" in told
        assert fingerprint in told
        assert re.search(r"[\d.]+ ms", told)


@pytest.mark.parametrize("path", [f"/?{ZOOS}", f"/?{ZOOS}&view=pairs", f"/?{ZOOS}&view=premises"])
def test_the_first_gist_begins_in_the_upper_half_of_a_phone(open_page, parted, path):
    page = open_page(parted + path, 390)
    page.set_viewport_size({"width": 390, "height": 844})
    done(page)
    assert page.locator(".hit .sentence").first.bounding_box()["y"] < 844 / 2


def test_from_one_side_to_the_other_by_thumb_and_keyboard(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}", 390)
    page.locator(".column.for .hit").nth(2).scroll_into_view_if_needed()
    link = page.locator(".column.for > header .across")
    assert link.is_visible()  # the head of the column stays in sight
    assert link.bounding_box()["y"] < 60
    link.click()
    heading = page.locator(".column.against h2")
    assert page.evaluate("document.activeElement.id") == "title-against"
    assert heading.bounding_box()["y"] < 450
    page.keyboard.press("Tab")
    back = page.evaluate("document.activeElement.textContent")
    assert back == "See for"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "title-for"
    page.set_viewport_size({"width": 1280, "height": 900})
    assert not link.is_visible()


def test_another_language_is_said_and_nothing_made_up(open_page, parted):
    page = open_page(f"{parted}/?{GERMAN}")
    assert "the question seems to be in German" in page.locator("#status").inner_text()
    assert page.locator(".hit").count() == 0
    assert not page.locator("#meant").is_visible()
    assert page.locator(".empty a").count() == 1


def test_what_is_not_about_the_question_is_not_called_unclear(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&discriminative=no")
    counts = page.request.get(f"{parted}/api/search?{ZOOS}&sides=true").json()["balance"]
    off, unclear = counts["off_question"], counts["counts"]["unclear"]
    assert 0 < off <= unclear
    button = page.locator("#unclear")
    assert button.inner_text() == f"{unclear - off} unclear, {off} not about your question"
    button.click()
    page.locator(".column.unclear").wait_for()
    said = page.locator(".column.unclear .towards").all_inner_texts()
    assert any(text.startswith("Probably not about your question") for text in said)
    told = "it.unclearText({counts: {unclear: 2}, off_question: 2})"
    told = page.evaluate(f"import('/balance.js').then((it) => {told})")
    assert told == "2 not about your question"


def test_one_claim_in_two_spellings_is_one_place_of_the_page(open_page, parted):
    page = open_page(f"{parted}/?q=zoos")
    answer = page.request.get(f"{parted}/api/premises?q=zoos&k=20").json()
    for hit, claim in zip(answer["hits"], ("Ban zoos", "ban  Zoos.", "Close zoos"), strict=False):
        hit["claims"][0]["text"], hit["stance"] = claim, "PRO"
    answer["hits"] = answer["hits"][:3]
    page.route("**/api/premises**", lambda route: route.fulfill(body=json.dumps(answer)))
    page.goto(f"{parted}/?q=zoos&view=premises")
    done(page)
    assert page.locator(".claim > h2").all_inner_texts() == ["“Ban zoos”", "“Close zoos”"]
    names = page.evaluate(NAMES)
    assert {"“Ban zoos”", "“Close zoos”"} < {*names}
    assert sorted(names) == sorted({*names})
    assert found_by_axe(page) == ""


def test_a_list_of_one_side_is_no_second_place_of_the_page(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}")
    answer = page.request.get(f"{parted}/api/pairs?{ZOOS}&k=10").json()
    answer["hits"] = [hit for hit in answer["hits"] if hit["stance"] == "PRO"]
    page.route("**/api/pairs**", lambda route: route.fulfill(body=json.dumps(answer)))
    page.goto(f"{parted}/?{ZOOS}&view=pairs")
    done(page)
    assert page.locator(".column .hit").count() == len(answer["hits"]) > 0
    names = page.evaluate(NAMES)
    assert "Results" in names
    assert sorted(names) == sorted({*names})
