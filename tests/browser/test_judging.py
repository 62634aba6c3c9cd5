"""The page of studies.reader: keys become labels, one back, resumed where it ended."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from studies.reader.judging import server
from studies.reader.labels import COLUMNS
from studies.reader.lists import Item, Lists, Question
from tests.processes import PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ITEMS = [
    Item("Q1.1", "Q1", "for", "a", "CON", "Zoos <b>bad</b>", "a gist", "a text\n\nof two", 4),
    Item("Q1.2", "Q1", "against", "b", None, None, "", "another", 1),
]
LISTS = Lists({}, [Question("Q1", ("undirected",), "zoos")], {"Q1": "zoos are good"}, ITEMS, {})


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return tmp_path / "labels.tsv"


@pytest.fixture
def address(labels: Path) -> Iterator[str]:
    with server(LISTS, labels) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def press(page, keys: str) -> None:
    """One key after the other, each as the page asks for it."""
    for key, asked in zip(keys, ("Usable", "On the side", "Does the snippet"), strict=True):
        page.locator("#ask").get_by_text(asked).wait_for()
        page.keyboard.press(key)


def test_keys_become_labels(chromium, address: str, labels: Path) -> None:
    page = chromium.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    page.get_by_text("0 of 2 Q1.1").wait_for()
    assert (
        page.locator("#conclusion").inner_text() == "Its own conclusion, against: Zoos <b>bad</b>"
    )
    assert page.locator("#claim").inner_text() == "“For” means: zoos are good"
    assert page.locator("#side").inner_text() == "Shown as: FOR"
    page.locator("#ask").get_by_text("Usable").wait_for()
    page.keyboard.press("1")
    page.get_by_text("On the side").wait_for()
    page.keyboard.press("7")  # no answer
    page.keyboard.press("n")
    page.get_by_text("Does the snippet").wait_for()
    page.keyboard.press("0")
    page.get_by_text("1 of 2 Q1.2").wait_for()
    page.keyboard.press("z")  # the first one again
    page.get_by_text("1 of 2 Q1.1").wait_for()
    press(page, "111")
    page.get_by_text("1 of 2 Q1.2").wait_for()
    page.reload()
    page.get_by_text("1 of 2 Q1.2").wait_for()
    press(page, "000")
    page.get_by_text("Q1/against").wait_for()
    page.keyboard.press("1")
    page.get_by_text("All is judged.").wait_for()
    page.close()
    assert errors == []
    assert labels.read_text().splitlines() == [
        "\t".join(COLUMNS),
        "Q1.1\t1\tn\t0\t",
        "Q1.1\t1\t1\t1\t",
        "Q1.2\t0\t0\t0\t",
        "Q1/against\t\t\t\t1",
    ]
