"""The view of key points: a briefing of both sides, with quotes, reasons and what is left."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ASKED = "q=Should+homework+be+abolished%3F"


def test_points_stand_with_their_quotes_and_what_is_left(open_page, parted):
    page = open_page(f"{parted}/?{ASKED}&view=points")
    answer = page.request.get(f"{parted}/api/points?{ASKED}").json()
    assert page.locator(".column h2 .title").all_inner_texts() == ["For", "Against"]
    points = [point for side in answer["sides"] for point in side["points"]]
    assert page.locator(".point h3").all_inner_texts() == [point["heading"] for point in points]
    card = page.locator(".point").first
    debates = points[0]["debates"]
    assert debates == len({quote["source"]["name"] for quote in points[0]["quotes"]})
    told = f"from {debates} {'debate' if debates == 1 else 'different debates'}"
    assert card.locator("summary").first.inner_text().endswith(told)
    card.locator("summary").first.click()
    assert card.locator(".sentence").first.inner_text() == f"“{points[0]['quotes'][0]['text']}”"
    assert card.locator(".quote a.open").count() == points[0]["arguments"]
    first = card.locator(".quote .source").first.inner_text()
    assert card.locator("> .source").inner_text() == first
    card.get_by_text("Why here?").first.click()
    card.locator(".tree").first.wait_for()
    left = page.locator(".column > details")
    left.first.locator("summary").click()
    left.first.locator("li").first.wait_for()
    assert left.first.locator("li").count() == len(answer["sides"][0]["ungrouped"])
    assert "200 arguments" in page.locator("#status").inner_text()
    address = page.get_by_role("link", name="As Markdown").get_attribute("href")
    assert page.request.get(f"{parted}{address}").text().startswith("# Key points on")
