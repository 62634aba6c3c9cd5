"""What axe-core finds on every view (nothing), and what people set their browsers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch import api
from tests.browser.pages import done, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ZOOS = "q=Should+zoos+be+abolished%3F"
PATHS = [
    "/",
    f"/?{ZOOS}",
    f"/?{ZOOS}&view=points",
    f"/?{ZOOS}&view=pairs",
    f"/?{ZOOS}&view=premises",
    f"/?{ZOOS}&view=map",
    f"/?{ZOOS}&side=any&where=words+%3E+20&n=40",
    f"/?{ZOOS}&sort=-quality",
    f"/api/search?{ZOOS}&side=both&format=cards",
    "/?q=qwertzuiop",
    "/?q=zoos&config=nope",
    "/?view=kept",
    "/?q=Sollte+man+die+Tiere+in+Zoos+sehen%3F",
    "/arguments/zoo%2F1%23a%3Fb%3Dc%26d%2520?q=zoos",
    "/arguments/zoo-2?q=zoos#counter",
    f"/arguments/{'n' * 300}",
    "/nowhere",
    "/docs",
]
SCHEMES = {
    f"{scheme}, {what}": {"color_scheme": scheme, "contrast": contrast, "forced_colors": forced}
    for what, contrast, forced in (
        ("as it is", "no-preference", "none"),
        ("high contrast", "more", "active"),
    )
    for scheme in ("light", "dark")
}
VIOLATIONS = {"resultTypes": ["violations"]}
COLOURS = {**VIOLATIONS, "runOnly": ["color-contrast", "link-in-text-block"]}
"""Rules of axe-core that look at colours: the rest of the page is the same in every scheme."""
LIMIT = 200_000
"""Bytes of all that the page is made of."""


def shown(open_page, path: str):
    """The page with its disclosures open."""
    page = open_page(path)
    for summary in page.locator("summary:visible").all()[:8]:
        summary.click()
    if "/?" in path:
        done(page)
    return page


def found_by_axe(page) -> str:
    """What axe-core finds in each of the four schemes; nothing where there is nothing."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="install axe-core: pip install axe-playwright-python",
    ).Axe()
    reports = []
    for rules, (name, scheme) in zip([VIOLATIONS, *[COLOURS] * 3], SCHEMES.items(), strict=True):
        page.emulate_media(**scheme)
        results = axe.run(page, options=rules)
        if results.violations_count:
            reports.append(f"{name}: {results.generate_report()}")
    return "\n".join(reports)


def overflowing(page) -> list[str]:
    """The cards whose text is wider than they are."""
    return page.evaluate(
        """[...document.querySelectorAll('.hit')]
           .filter((hit) => hit.scrollWidth > hit.clientWidth + 1)
           .map((hit) => hit.innerText)"""
    )


@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_nothing_and_nothing_is_cut_off(open_page, parted, path):
    """At any width and zoom, nor of text twice as large, nor of letters .12 em and words .16 em
    apart (WCAG 1.4.12), nor of far wider ones, as another font's are."""
    page = shown(open_page, parted + path)
    assert found_by_axe(page) == ""
    page.emulate_media(forced_colors="none", color_scheme="light", contrast="no-preference")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert overflowing(page) == []
    page.evaluate("document.documentElement.style.fontSize = ''")
    for width in (320, 360, 640, 1280):  # a screen of 640 points is one of 1280 at 200 %
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 320, "height": 700})
    for letters in (0.12, 0.3):
        page.evaluate(
            """(letters) => {
                 const sheet = new CSSStyleSheet();
                 sheet.replaceSync(`* { line-height: 1.5 !important; word-spacing: .16em !important;
                                        letter-spacing: ${letters}em !important; }`);
                 document.adoptedStyleSheets = [sheet];
               }""",
            letters,
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_axe_finds_nothing_in_the_suggestions(open_page, parted):
    page = open_page(f"{parted}/")
    until(page, "document.getElementById('q').getAttribute('role') === 'combobox'")
    page.keyboard.type("zoo")
    page.locator("#suggestions [role=option]").first.wait_for()
    page.keyboard.press("ArrowDown")
    assert found_by_axe(page) == ""


def test_a_dark_scheme_is_dark_and_reduced_motion_moves_nothing(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}", scheme="dark")
    background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert background == "rgb(19, 22, 27)"
    moving = page.evaluate(
        """[...document.querySelectorAll('*')].filter((element) => {
             const style = getComputedStyle(element);
             return style.animationName !== 'none' ||
               (style.transitionProperty !== 'none' && style.transitionDuration !== '0s');
           }).length"""
    )
    assert moving == 0


def test_forced_colours_keep_what_is_chosen_apart(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=pairs")
    page.emulate_media(forced_colors="active")
    done(page)
    border = "e => getComputedStyle(e).borderBottomColor"
    current, other = (page.locator(f"#views a{which}").first for which in ("[aria-current]", ""))
    assert current.evaluate(border) != other.evaluate(border)
    page.goto(f"{parted}/?{ZOOS}&side=any&stance=pro")
    done(page)
    page.locator(".choice[aria-pressed=true]").wait_for()
    colour = "e => getComputedStyle(e).backgroundColor"
    pressed = page.locator(".choice[aria-pressed=true]").first.evaluate(colour)
    assert pressed != page.locator(".choice[aria-pressed=false]").first.evaluate(colour)


@pytest.mark.parametrize("path", PATHS[1:4])
def test_print_has_the_results_and_nothing_to_click(open_page, parted, path):
    page = open_page(f"{parted}{path}")
    done(page)
    page.emulate_media(media="print")
    assert page.locator("article.hit").first.is_visible()
    assert page.locator("h1").bounding_box()["height"] > 20  # the question
    for gone in ("#search", "#views", "summary", ".more", "a.open"):
        assert not page.locator(gone).first.is_visible(), gone


@pytest.mark.parametrize("view", ["arguments", "premises", "map"])
def test_the_keyboard_reaches_every_view(open_page, parted, view):
    page = open_page(f"{parted}/?{ZOOS}&view={view}")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid" or page.evaluate("document.activeElement === document.body")
    assert {"Arguments", "Two sentences", "Reasons by claim", "Map"} <= set(reached)
    assert view == "map" or any(name.startswith("Why here?") for name in reached)


def test_the_page_is_small_and_has_no_file_of_more_than_400_lines():
    files = [path for path in (Path(api.__file__).parent / "web").iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= LIMIT
    for path in files:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path.name
