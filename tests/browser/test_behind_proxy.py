"""Everything that the page does, behind an nginx that shows it under /args/ and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.api.awkward import build_index, serving
from tests.browser.nginx import documented_lines, keeping, proxied
from tests.browser.pages import ask, done, state, titles, until, visit_first
from tests.indexes import Built

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OTHER = "the-sample-corpus"


@pytest.fixture(scope="module", params=["removed", "kept"])
def shown(
    request: pytest.FixtureRequest,
    built: Built,
    sample_index: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """Where nginx shows two indexes: it removes /args and says so, or keeps it and says nothing."""
    folder = tmp_path_factory.mktemp("nginx")
    named = [f"odd={build_index(built, folder)}", f"{OTHER}={sample_index}"]
    kept = request.param == "kept"
    lines = keeping(documented_lines()) if kept else documented_lines()
    options = ["--root-path", "/args"] if kept else []
    with serving(*named, options=options) as address, proxied(address, lines, folder) as shown:
        yield shown


@pytest.fixture
def visit(open_page, shown) -> Iterator:
    """Opens a path below /args; no request may leave it, and none may fail."""
    left: list[str] = []

    def opened(path: str, width: int = 1280):
        page = open_page("about:blank", width)
        page.context.on("request", lambda one: left.append(one.url) if _leaves(one.url) else None)
        page.context.on(
            "response", lambda one: left.append(f"{one.status} {one.url}") if _fails(one) else None
        )
        page.goto(shown + path)
        return page

    def _leaves(url: str) -> bool:
        below = url == shown or url.startswith(f"{shown}/")
        return not (below or url.startswith(("about:", "blob:", "data:")))

    def _fails(answer) -> bool:
        return answer.status >= 400 and "nope" not in answer.url

    yield opened
    assert left == []


def links(page) -> set[str]:
    """Where the page leads to, but for the sources of arguments."""
    whole = "all => all.map((one) => new URL(one.getAttribute('href'), document.baseURI).href)"
    return set(page.locator("a[href]:not([rel~=external])").evaluate_all(whole))


def test_nothing_is_shown_outside_of_the_prefix(shown):
    for path in ("/", "/page.css", "/api/search?q=zoos", "/argsx/"):
        assert httpx.get(shown.removesuffix("/args") + path, timeout=60).status_code == 404
    assert httpx.get(f"{shown}/ready", timeout=60).json()["ready"]


def test_questions_settings_and_links_stay_below_the_prefix(visit, shown):
    page = visit("/")
    until(page, "document.querySelectorAll('#examples a').length > 0")
    ask(page, "zoos")
    assert page.url == f"{shown}/?q=zoos"
    assert titles(page, "for")
    assert page.locator(".hit").first.evaluate("one => getComputedStyle(one).display") != "inline"
    page.get_by_text("For researchers").click()
    page.locator("#config").select_option("bm25")
    done(page)
    page.get_by_text("Narrow down").click()
    page.get_by_label("One list, any side").check()
    done(page)
    page.locator("#discriminative").uncheck()
    done(page)
    assert state(page).items() >= {"config": "bm25", "side": "any", "discriminative": "no"}.items()
    page.locator(".export summary").first.click()
    with page.expect_download() as downloaded:
        page.locator(".export a").first.click()
    assert downloaded.value.url.startswith(f"{shown}/api/search?")
    assert Path(downloaded.value.path()).read_text()
    shared, before = page.url, titles(page, "any")
    again = visit(shared.removeprefix(shown))
    done(again)
    assert titles(again, "any") == before
    page.go_back()
    done(page)
    visit_first(page)
    page.get_by_role("link", name="argsearch", exact=True).click()
    page.wait_for_url(f"{shown}/")
    page.locator("#suggestions").wait_for(state="attached")
    page.get_by_label("Your question").press_sequentially("school")
    page.locator("#suggestions [role=option]").first.wait_for()


def test_the_views_the_map_and_another_index_stay_below_the_prefix(visit, shown):
    page = visit("/?q=zoos")
    done(page)
    page.get_by_role("navigation", name="Index:").get_by_role("link", name=OTHER).click()
    page.wait_for_url(f"{shown}/?**index={OTHER}**")
    done(page)
    ask(page, "teachers tenure")
    for view in page.locator("#views a").all_inner_texts():
        page.locator("#views").get_by_role("link", name=view, exact=True).click()
        done(page)
        assert page.url.startswith(f"{shown}/?")
        assert {one for one in links(page) if not one.startswith(f"{shown}/")} == set()
    page.locator(".clusters a").first.click()
    page.locator(".hit").first.wait_for()
    visit_first(page)
    assert state(page)["index"] == OTHER
    page.goto(f"{shown}/?index=nope")
    page.locator("#indexes a").first.click()
    page.wait_for_url(f"{shown}/?index=odd")
    page.goto(f"{shown}/nope/of/this")
    page.get_by_role("link", name="Ask a question").last.click()
    page.wait_for_url(f"{shown}/")
    page.goto(shown)
    until(page, "document.querySelectorAll('#examples a').length > 0")


def test_a_request_can_be_tried_there(visit, shown):
    page = visit("/docs")
    section = page.locator("section").filter(has=page.locator("h2", has_text="GET /api/search"))
    section.first.get_by_text("Try it").click()
    section.first.get_by_label("q", exact=True).fill("zoos")
    section.first.get_by_role("button", name="Send").click()
    section.first.locator("output").get_by_text("200 OK").wait_for()
    assert "GET /args/api/search?q=zoos" in section.first.locator("output").inner_text()
    page.get_by_role("link", name="The search page").click()
    page.wait_for_url(f"{shown}/")
