"""The documentation's "try it" in a real browser, under the page's own security policy."""

from __future__ import annotations

import json

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize(
    ("heading", "given", "expected"),
    [
        ("GET /api/search", {"q": "zoos", "k": "0"}, "422 "),
        ("GET /api/arguments/{id}", {"id": "zoo/1#a?b=c&d%20"}, "200 OK"),
        ("POST /api/search", {}, "200 OK"),
    ],
)
def test_a_request_can_be_tried(open_page, heading, given, expected):
    page = open_page("/docs")
    section = page.locator("section").filter(
        has=page.get_by_role("heading", name=heading, exact=True)
    )
    section.get_by_text("Try it").click()
    for name, value in given.items():
        section.get_by_label(name, exact=True).fill(value)
    section.get_by_role("button", name="Send").click()
    shown = section.locator("output")
    shown.filter(has_text=expected).wait_for()
    assert json.loads(shown.inner_text().split("\n\n", 1)[1])
