"""The page where a text is challenged, in a real browser."""

from __future__ import annotations

import pytest

from tests.browser.pages import arrive
from tests.browser.test_accessible import found_by_axe

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ABOUT = "The death penalty is just"
TEXT = (
    "Innocent people have been executed by mistake.\n\nThe death penalty does not deter murderers "
    "in any state. Executions cost the state more than a life in prison."
)


def challenged(open_page, address: str, text: str = TEXT, side: str = "", width: int = 1280):
    """The page with the answer to a text."""
    page = open_page(f"{address}/challenge", width)
    page.get_by_label("Your text", exact=True).fill(text)
    page.get_by_label("What the text is about").fill(ABOUT)
    if side:
        page.get_by_label(side, exact=True).check()
    page.get_by_role("button", name="Challenge it").click()
    arrive(page, "#sections")
    return page


def test_from_the_search_page_to_what_speaks_against_a_text_and_back(open_page, sampled):
    page = open_page(sampled)
    page.locator("footer").get_by_role("link", name="Challenge a text").click()
    arrive(page, "textarea")
    page.get_by_label("Your text", exact=True).fill(TEXT)
    page.get_by_label("What the text is about").fill(ABOUT)
    page.get_by_label("For", exact=True).check()
    page.keyboard.press("Enter")  # sends the form without a mouse
    arrive(page, "#sections")
    assert page.locator("h2").all_inner_texts() == [
        f"Against the text: arguments against “{ABOUT}”",
        f"For the text: arguments for “{ABOUT}”",
    ]
    page.get_by_role("button", name="I am against it").click()
    arrive(page, ".sides [value=for]")
    assert page.locator("h2").first.inner_text().startswith("Against the text: arguments for")
    page.get_by_text("Why here?").first.click()
    assert page.get_by_text("logit, sum of:").first.is_visible()
    page.get_by_text("Whole argument").first.click()
    arrive(page, ".whole")
    page.get_by_role("link", name=f"All arguments on “{ABOUT}”").click()
    arrive(page, "#search")


@pytest.mark.parametrize("side", ["", "For"])
def test_axe_finds_nothing(open_page, sampled, side):
    page = open_page(f"{sampled}/challenge")
    assert found_by_axe(page) == ""
    page = challenged(open_page, sampled, side=side)
    for summary in page.locator("summary:visible").all()[:6]:
        summary.click()
    assert found_by_axe(page) == ""


def test_nothing_is_cut_off_at_any_width_or_with_larger_text(open_page, sampled):
    long = f"{TEXT} {'uniforms' * 60} are bad for schools."
    for page in (open_page(f"{sampled}/challenge"), challenged(open_page, sampled, long)):
        for size in ("100%", "200%"):
            page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
            for width in (320, 360, 768, 1280):
                page.set_viewport_size({"width": width, "height": 700})
                assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_both_sides_stand_beside_each_other_where_there_is_room(open_page, sampled):
    page = challenged(open_page, sampled, side="For")
    first, second = page.locator(".column").all()
    assert second.bounding_box()["x"] >= first.bounding_box()["x"] + first.bounding_box()["width"]
    page.set_viewport_size({"width": 360, "height": 700})
    assert second.bounding_box()["y"] >= first.bounding_box()["y"] + first.bounding_box()["height"]
