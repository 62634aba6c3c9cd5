"""How long a reader waits: the page in Chromium, on an index as large as one likes.

`python -m benchmarks.page INDEX [QUESTION …]` serves the index, opens the page anew for each
question, and prints milliseconds: the first paint, the answer on the page after Enter, and the
lists ranked anew after a slider was moved. Each question is asked ROUNDS times; of a round, all
questions come before the next, so that nothing is asked twice in a row.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.measuring import say
from benchmarks.serving import serve

QUESTIONS = (
    "Should abortion be legal?",
    "Is evolution a fact?",
    "Should guns be banned?",
    "Does God exist?",
    "Should gay marriage be allowed?",
)
ROUNDS = 5
NAMES = ("chromium", "chromium-browser", "google-chrome")
DONE = "!document.querySelector('[aria-busy]') && document.querySelectorAll('.hit').length > 0"
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
MOVED = """
() => new Promise((answered) => {
  const slider = document.getElementById("w_quality");
  const columns = document.getElementById("columns");
  slider.value = String((Number(slider.value) + 3) % 10);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const begun = performance.now();
  const tell = () => answered(performance.now() - begun);
  const painted = () => requestAnimationFrame(() => setTimeout(tell));
  new MutationObserver((_, observer) => {
    if (columns.hasAttribute("aria-busy")) return;
    observer.disconnect();
    painted();
  }).observe(columns, { attributes: true, attributeFilter: ["aria-busy"] });
  slider.dispatchEvent(new Event("change", { bubbles: true }));
})
"""
"""From the slider's change to the frame that shows the lists in their new order."""


def until(page: Page, condition: str) -> None:
    """Wait outside of the page, whose security policy forbids evaluating text inside it."""
    end = time.monotonic() + 30
    while not page.evaluate(condition):
        if time.monotonic() > end:
            raise RuntimeError(f"never true: {condition}")
        time.sleep(0.005)


def asked(browser: Browser, address: str, question: str) -> dict[str, float]:
    """Milliseconds of one visit."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{address}/")
    until(page, PAINTED)
    first = float(page.evaluate(PAINTED))
    until(page, "document.getElementById('index').textContent !== ''")
    page.locator("#q").fill(question)
    begun = time.perf_counter()
    page.keyboard.press("Enter")
    until(page, DONE)
    answered = (time.perf_counter() - begun) * 1e3
    moved = [float(page.evaluate(MOVED)) for _ in range(3)]
    context.close()
    return {"first paint": first, "answered": answered, "slider": float(np.median(moved))}


def main(index: Path, questions: tuple[str, ...] = QUESTIONS) -> None:
    """Print the median, and the most, of each."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise SystemExit(f"install Chromium: none of {', '.join(NAMES)} is on the PATH")
    switches: dict[str, Any] = {"args": ["--no-sandbox", "--disable-gpu"]}
    with serve(index, 1) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, **switches)
        asked(browser, f"http://127.0.0.1:{served.port}", questions[0])
        found = [
            asked(browser, f"http://127.0.0.1:{served.port}", question)
            for _ in range(ROUNDS)
            for question in questions
        ]
        browser.close()
    for name in found[0]:
        times = [one[name] for one in found]
        say(f"{name}: median {np.median(times):.0f} ms, most {max(times):.0f} ms of {len(times)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), tuple(sys.argv[2:]) or QUESTIONS)
