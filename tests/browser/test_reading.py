"""What a visitor meets: nothing jumps, nothing is hidden, no words that only researchers know."""

from __future__ import annotations

import json
import re

import pytest

from tests.browser.test_accessible import found_by_axe
from tests.browser.test_page import done, state

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
    done(page)
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
    done(page)
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
    done(page)
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


def test_a_side_of_the_address_opens_no_panel(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&side=against")
    done(page)
    assert page.locator("#narrow").get_attribute("open") is None
    assert page.locator(".hit").first.bounding_box()["y"] < 450


def test_only_what_is_near_is_marked_on_the_map(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=map")
    done(page)
    answer = page.request.get(f"{parted}/api/map?{ZOOS}").json()
    near = sorted((one["similarity"] for one in answer["clusters"]), reverse=True)
    wanted = [one for one in near[:5] if one >= max(0.3, 0.7 * near[0])]
    assert 1 <= page.locator(".map .near").count() == len(wanted) < 5
    page.goto(f"{parted}/?q=xqzzy&view=map")
    done(page)
    assert page.locator(".map .near").count() == 0
    assert "None is near your question" in page.locator("#status").inner_text()


def test_examples_are_questions_that_find_something(open_page, parted):
    page = open_page(f"{parted}/")
    page.locator("#examples a").first.wait_for()
    assert all(text.endswith("?") for text in page.locator("#examples a").all_inner_texts())
    page.locator("#examples a").first.click()
    done(page)
    assert page.locator(".hit").count() > 5


def test_an_empty_view_leads_on(open_page, parted):
    page = open_page(f"{parted}/?q=qwertzuiop&view=premises")
    done(page)
    page.locator(".empty").get_by_role("link", name="look for whole arguments").click()
    done(page)
    assert state(page) == {"q": "qwertzuiop"}


def test_an_unknown_address_is_a_page_that_leads_on(open_page, parted):
    page = open_page(f"{parted}/nowhere/at-all")
    assert page.locator("h1").inner_text() == "There is no such page"
    assert "/nowhere/at-all" in page.locator("main").inner_text()
    page.get_by_role("link", name="Ask a question").last.click()
    page.locator("#examples a").first.wait_for()


def test_another_language_is_said_and_nothing_made_up(open_page, parted):
    page = open_page(f"{parted}/?{GERMAN}")
    done(page)
    assert "the question seems to be in German" in page.locator("#status").inner_text()
    assert page.locator(".hit").count() == 0
    assert not page.locator("#meant").is_visible()
    assert page.locator(".empty a").count() == 1


def test_what_is_not_about_the_question_is_not_called_unclear(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&discriminative=no")
    done(page)
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
    done(page)
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


def test_reasons_begin_with_their_point(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=premises")
    done(page)
    hits = page.request.get(f"{parted}/api/premises?{ZOOS}&k=20").json()["hits"]
    for hit in hits:
        card = page.locator(f"[data-rank='{hit['rank']}']")
        assert card.locator(".sentence").inner_text() == hit["sentence"]["text"].strip()


def test_a_list_of_one_side_is_no_second_place_of_the_page(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}")
    done(page)
    answer = page.request.get(f"{parted}/api/pairs?{ZOOS}&k=10").json()
    answer["hits"] = [hit for hit in answer["hits"] if hit["stance"] == "PRO"]
    page.route("**/api/pairs**", lambda route: route.fulfill(body=json.dumps(answer)))
    page.goto(f"{parted}/?{ZOOS}&view=pairs")
    done(page)
    assert page.locator(".column .hit").count() == len(answer["hits"]) > 0
    names = page.evaluate(NAMES)
    assert "Results" in names
    assert sorted(names) == sorted({*names})
