"""Search by meaning on the page: how many are found by it, why one stands there, what is weak."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.api.awkward import serving
from tests.engine.test_meaning import SETTINGS
from tests.indexes import Built

pytestmark = pytest.mark.browser

ALL_WEAK = "None of the 100 arguments found is clearly about your question."


@pytest.fixture(scope="module")
def near(built: Built) -> Iterator[str]:
    """Where the page is served with an index that has the part `meaning`."""
    with serving(built(settings=SETTINGS)) as address:
        yield address


def test_what_is_found_by_meaning_is_counted_and_given_as_the_reason(open_page, near):
    page = open_page(f"{near}/?q=should+pupils+wear+the+same+clothes")
    page.get_by_text("For researchers").click()
    total = page.locator("#numbers").inner_text()
    assert re.search(r"match, \d+ by a discriminative word; \d+ by meaning alone", total)
    assert "configuration meaning" in total
    page.locator("[data-rank='1']").get_by_text("Why here?").first.click()
    assert "is near your question by meaning" in page.locator(".reason").first.inner_text()


def test_a_question_that_nothing_is_about_says_so_first(open_page, near):
    page = open_page(f"{near}/?q=xyzzy+plugh")
    assert "; 100 by meaning alone" in page.locator("#numbers").text_content()
    assert page.locator("#status").inner_text().startswith(ALL_WEAK)
    assert page.locator(".weak, #balance:visible").count() == 0
