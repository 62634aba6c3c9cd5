"""What tests do on a page: ask, wait until it has answered, read its state."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from tests.processes import PATIENCE


def state(page) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def ask(page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    done(page)


def until(page, condition: str) -> None:
    """Wait in this process: the page's security policy forbids evaluating text inside it."""
    wait(page, lambda: _evaluated(page, condition), condition)


def wait(page, condition: Callable[[], object], what: str = "") -> None:
    """Wait, while what the page asks is heard."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never true: {what}"
        page.wait_for_timeout(20)


def _evaluated(page, condition: str) -> bool:
    try:
        return bool(page.evaluate(condition))
    except Exception as error:  # Playwright's, which need not be installed
        if "context was destroyed" not in str(error):  # another page comes just now
            raise
        return False


def done(page) -> None:
    until(
        page,
        "document.readyState !== 'loading' && !document.querySelector('[aria-busy]') && "
        "document.getElementById('status') && "
        "document.getElementById('status').textContent !== 'Searching…'",
    )


def visit_first(page) -> None:
    """To the first argument's own page, which is of it, and back to the list."""
    title = page.locator(".hit h3 bdi").first.inner_text()
    open_more(page)
    page.get_by_role("link", name="Argument’s page").first.click()
    page.wait_for_url("**/arguments/**")
    assert title in page.locator("h1").inner_text()
    page.get_by_role("link", name="All arguments on").click()
    done(page)


def arrive(page, there: str) -> None:
    """Wait for something on a page that comes, and for the rest of it."""
    page.locator(there).first.wait_for()
    page.wait_for_load_state()


def titles(page, side: str) -> list[str]:
    return page.locator(f".column.{side} h3 bdi").all_inner_texts()


def open_more(card) -> None:
    """Open the controls of a card that few readers need."""
    card.locator(".rare > summary").first.click()
