"""Each card and list says at a glance what it is, why it is there, its side and its source."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

pytestmark = pytest.mark.browser

ZOOS = "/?q=Should+zoos+be+abolished%3F"
PLACEHOLDER = """() => {
  const box = document.getElementById('q'), style = getComputedStyle(box);
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = `${style.fontSize} ${style.fontFamily}`;
  return box.clientWidth - 2 * parseFloat(style.paddingLeft)
    - pen.measureText(box.placeholder).width; }"""  # free pixels beside it


def test_each_list_has_a_heading_with_its_side_and_count(open_page):
    page = open_page(ZOOS)
    for width in (320, 360, 768, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        tops = []
        for side, number, said in (("For", 2, "yes"), ("Against", 3, "no")):
            head = page.locator(f".column.{side.lower()} > header")
            text = f"{side}: {number}{' arguments' * (width > 416)} say {said}"
            assert head.locator("h2").inner_text() == text
            box, link = head.locator("h2").bounding_box(), head.locator(".across").bounding_box()
            assert box["height"] < 40
            assert link is None or link["x"] > box["x"] + box["width"] + 20
            tops.append(box["y"])
        assert (tops[0] < tops[1]) is (width < 768)


def test_each_note_is_given_once(open_page):
    page = open_page("/?q=what+is+a+zoo")
    said = page.locator("main").inner_text()
    assert said.count("no sides") == 1
    assert "ittle was found" not in said
    few = """import('/balance.js').then((it) => {
      const few = {little: true, balance: {read: 100, counts: {for: 0, against: 1}}};
      return [it.countsText(few, 650), it.isTold('little was found: 1 for', few)]; })"""
    text = ", but few are on a side. Of the first 100: 0 for, 1 against."
    assert page.evaluate(few) == [text, True]


def test_a_source_names_debate_site_and_year_or_what_is_missing(open_page):
    lines = open_page("/?q=zoos&side=any").locator(".hit .source").all_inner_texts()
    assert {
        "Source: Ann O'Nym, the debate “Zoos & {braces} 100%”, example.org, 2019",
        "Source: the debate “Zoos”; no website or year given",
        "Source: only an id is given, null",
    } < set(lines)


def test_a_text_without_a_title_is_named_by_its_beginning(open_page):
    page = open_page("/?q=zoos&side=any")
    name = "No title; begins: “No conclusion about zoos.”"
    page.locator(".hit", has_text=name).get_by_role("button", name="Keep").click()
    for path in ("/?view=kept", "/arguments/null"):
        page.goto(path)
        page.locator("h1, h3").filter(has_text=name).wait_for()


def test_a_card_against_its_own_title_says_so_in_the_title(open_page):
    page = open_page("/?q=school+uniforms&n=60")
    url = "/api/search?q=school+uniforms&side=both&k=60&spread=true&discriminative=true"
    hits = page.request.get(url).json()["hits"]
    assert len({(hit["side"]["value"], hit["stance"]) for hit in hits}) == 4
    for hit in hits:
        card = page.locator(f".column.{hit['side']['value']} [data-rank='{hit['rank']}']")
        title = hit["conclusion"]
        said = title if hit["stance"] == "PRO" else f"Opposes: “{title}”"
        assert card.locator("h3").inner_text() == said


def test_rare_controls_are_behind_one(open_page, parted):
    page = open_page(f"{parted}{ZOOS}")
    card = page.locator(".hit").first
    controls = card.locator(".actions").first.locator("button, summary, a, input")
    assert [one.is_visible() for one in controls.all()].count(True) == 5
    assert "More for number 1" in card.locator("summary").all_text_contents()
    card.locator(".rare > summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Cite"
    for name in ("Argument’s page", "Wrong side?", "Pick"):
        assert card.get_by_text(name).is_visible()


def test_reasons_are_words_of_content(open_page, sampled):
    page = open_page(f"{sampled}/?q=how+should+zoos+ever+be+abolished&discriminative=no")
    reasons = " ".join(page.locator(".why > summary").all_inner_texts())
    assert set(re.findall("“(.*?)”", reasons)) == {"zoos", "abolished"}


@pytest.mark.parametrize("width", [pytest.param(360, marks=pytest.mark.slow), 1280])
def test_labels_of_the_map_and_the_placeholder_can_be_read(open_page, parted, width):
    page = open_page(f"{parted}/?view=map", width)
    page.locator(".map text").first.wait_for()
    boxes = [label.bounding_box() for label in page.locator(".map text").all()]
    assert len(boxes) >= 15
    assert min(box["height"] for box in boxes) >= 12
    for a, b in combinations(boxes, 2):
        apart = abs(a["x"] + a["width"] / 2 - b["x"] - b["width"] / 2)
        assert 2 * apart > a["width"] + b["width"] - 2 or abs(a["y"] - b["y"]) > 11
    assert open_page("/", width).evaluate(PLACEHOLDER) > 10
