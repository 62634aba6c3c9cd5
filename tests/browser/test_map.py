"""The map of the corpus: clusters to look at, to zoom, to go to; and the same as a table."""

from __future__ import annotations

import pytest

from tests.browser.pages import done, state

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
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0


def test_the_question_has_a_place_that_can_be_zoomed_to(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=map")
    assert "zoos" in page.locator(".clusters tbody tr").first.inner_text().lower()
    answer = page.request.get(f"{parted}/api/map?{ZOOS}").json()
    near = sorted((one["similarity"] for one in answer["clusters"]), reverse=True)
    wanted = [one for one in near[:5] if one >= max(0.3, 0.7 * near[0])]
    assert 1 <= page.locator(".map .near").count() == len(wanted) < 5
    assert "Your question is nearest to “" in page.locator("#status").inner_text()
    closeness = [float(row.inner_text()) for row in page.locator("tbody td:nth-child(3)").all()]
    assert closeness == sorted(closeness, reverse=True)
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
    page.goto(f"{parted}/?q=xqzzy&view=map")
    done(page)
    assert page.locator(".map .near").count() == 0
    assert "None is near your question" in page.locator("#status").inner_text()


def test_a_click_narrows_to_the_cluster(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=map")
    page.locator(".map .near").first.click()
    page.wait_for_url("**where=cluster**")
    done(page)
    cluster = state(page)["where"]
    total = page.request.get(f"{parted}/api/search?{ZOOS}&where={cluster}&k=1").json()["total"]
    assert f"{total} argument" in page.locator("#status").inner_text()
    assert page.locator(".hit").count() > 0
    assert page.locator(".chip").first.is_visible()


def test_without_a_question_a_circle_searches_its_label(open_page, parted):
    page = open_page(f"{parted}/?view=map")
    name = page.locator(".clusters tbody a").first.inner_text()
    page.locator(".map a").first.click()
    page.wait_for_url("**where=cluster**")
    done(page)
    assert state(page)["q"] == name == page.locator("h1").inner_text()
    assert page.locator(".hit").count() > 0


def test_the_keyboard_passes_the_picture_and_finds_the_table(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=map")
    page.get_by_role("button", name="My question’s place").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.clusters') !== null")
    page.keyboard.press("Enter")
    page.wait_for_url("**where=cluster**")
