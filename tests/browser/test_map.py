"""The map of the corpus: clusters to look at, to zoom, to go to; and the same as a table."""

from __future__ import annotations

import pytest

from tests.browser.test_page import done, state

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ZOOS = "q=Should+zoos+be+abolished%3F"


def test_the_map_and_its_table_have_every_cluster(open_page, parted):
    page = open_page(f"{parted}/")
    page.get_by_role("link", name="on a map").click()
    done(page)
    assert state(page) == {"view": "map"}
    clusters = page.request.get(f"{parted}/api/map").json()["clusters"]
    assert page.locator(".map circle").count() == len(clusters) > 10
    rows = page.locator(".clusters tbody tr")
    assert rows.count() == len(clusters)
    for row, cluster in zip(rows.all(), clusters, strict=True):
        assert row.inner_text().split("\t")[1] == str(cluster["arguments"])
        named = [", ".join(cluster["words"]), *cluster["conclusions"]]
        assert row.locator("bdi").all_inner_texts() == named


def test_the_question_has_a_place(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=map")
    done(page)
    assert "zoos" in page.locator(".clusters tbody tr").first.inner_text().lower()
    assert 1 <= page.locator(".map .near").count() <= 5
    assert "Your question is nearest to “" in page.locator("#status").inner_text()
    closeness = [float(row.inner_text()) for row in page.locator("tbody td:nth-child(3)").all()]
    assert closeness == sorted(closeness, reverse=True)


@pytest.mark.parametrize("where", [".map .near", ".clusters tbody a"])
def test_a_click_narrows_to_the_cluster(open_page, parted, where):
    page = open_page(f"{parted}/?{ZOOS}&view=map")
    done(page)
    page.locator(where).first.click()
    page.wait_for_url("**where=cluster**")
    done(page)
    cluster = state(page)["where"]
    total = page.request.get(f"{parted}/api/search?{ZOOS}&where={cluster}&k=1").json()["total"]
    assert f"{total} argument" in page.locator("#status").inner_text()
    assert page.locator(".hit").count() > 0
    assert page.locator(".chip").first.is_visible()


def test_without_a_question_a_circle_searches_its_label(open_page, parted):
    page = open_page(f"{parted}/?view=map")
    done(page)
    name = page.locator(".clusters tbody a").first.inner_text()
    page.locator(".map a").first.click()
    page.wait_for_url("**where=cluster**")
    done(page)
    assert state(page)["q"] == name == page.locator("h1").inner_text()
    assert page.locator(".hit").count() > 0


def test_the_picture_can_be_zoomed(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=map")
    done(page)
    width = "Number(document.querySelector('.map svg').getAttribute('viewBox').split(' ')[2])"
    whole = page.evaluate(width)
    page.get_by_role("button", name="Zoom in").click()
    assert page.evaluate(width) == pytest.approx(whole / 1.5)
    page.get_by_role("button", name="My question’s place").click()
    assert page.evaluate(width) < whole
    box = page.locator(".map .near circle").first.bounding_box()
    picture = page.locator(".map svg").bounding_box()
    assert picture["x"] <= box["x"] <= picture["x"] + picture["width"]
    page.get_by_role("button", name="Whole map").click()
    assert page.evaluate(width) == whole
    page.get_by_role("button", name="Zoom out").click()
    assert page.evaluate(width) == whole


def test_text_of_a_corpus_stays_text(open_page, parted):
    page = open_page(f"{parted}/?view=map")
    done(page)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0


def test_the_keyboard_passes_the_picture_and_finds_the_table(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=map")
    done(page)
    page.get_by_role("button", name="My question’s place").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.clusters') !== null")
    page.keyboard.press("Enter")
    page.wait_for_url("**where=cluster**")
