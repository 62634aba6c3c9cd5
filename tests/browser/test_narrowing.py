"""Narrowing: facets with counts, order, what may be meant, totals, what helps where nothing is."""

from __future__ import annotations

import pytest

from tests.browser.test_page import ask, done, state, titles, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def opened(page) -> None:
    """The panel, with its counts."""
    done(page)
    if page.locator("#narrow").get_attribute("open") is None:
        page.get_by_text("Narrow down").click()
    page.locator("#facets button").first.wait_for()
    done(page)


def choices(page, name: str) -> dict[str, int]:
    """The values of a facet and their counts."""
    buttons = page.get_by_role("list", name=name).get_by_role("button").all()
    texts = [button.inner_text().rsplit(" ", 1) for button in buttons]
    return {text.strip(): int(number.replace(",", "")) for text, number in texts}


def test_facets_count_what_matches_and_narrow_it(open_page):
    page = open_page("/?q=zoos+uniforms&side=any")
    opened(page)
    assert choices(page, "Stance to its own conclusion") == {
        "argues for it": 32,
        "argues against it": 32,
    }
    assert choices(page, "Source")["Uniforms"] == 60
    page.get_by_role("button", name="Uniforms").click()
    page.wait_for_url("**where=source**")
    done(page)
    assert "60 arguments match" in page.locator("#status").inner_text()
    chip = page.get_by_role("button", name="Remove the filter Source: Uniforms")
    assert chip.is_visible()
    pressed = page.locator(".choice[aria-pressed=true] bdi")
    done(page)
    assert pressed.all_inner_texts() == ["Uniforms"]
    assert choices(page, "Source")["Zoos"] == 1  # another one can be chosen in its place
    page.reload()
    done(page)
    assert "60 arguments match" in page.locator("#status").inner_text()
    chip.click()
    until(page, "!location.search.includes('where')")
    done(page)
    assert "66 arguments match" in page.locator("#status").inner_text()


def test_every_count_is_what_its_choice_finds(open_page, sampled):
    page = open_page(f"{sampled}/?q=Should+zoos+be+abolished%3F&side=any")
    for name in ("Length, in words", "Predicted quality, 0 to 1", "Stance to its own conclusion"):
        opened(page)
        shown = choices(page, name)
        assert len(shown) > 1
        for value, number in list(shown.items())[:3]:
            page.get_by_role("list", name=name).get_by_role("button", name=value).first.click()
            until(page, "!document.getElementById('chips').hidden")
            done(page)
            matching = "argument matches" if number == 1 else "arguments match"
            assert f"{number} {matching}" in page.locator("#status").inner_text()
            page.locator(".chip").first.click()
            until(page, "document.getElementById('chips').hidden")
            done(page)
            opened(page)


def test_the_keyboard_stays_on_the_choice(open_page):
    page = open_page("/?q=zoos+uniforms&side=any")
    opened(page)
    page.get_by_role("button", name="argues against it").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**stance=con**")
    until(page, "document.querySelector('.choice[aria-pressed=true]')")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Enter")
    until(page, "!location.search.includes('stance')")


def test_the_order_can_be_chosen(open_page):
    page = open_page("/?q=uniforms")
    done(page)
    page.get_by_text("Narrow down").click()
    page.get_by_label("Order").select_option("-words")
    page.wait_for_url("**sort=-words**")
    done(page)
    assert page.locator(".column h2").all_inner_texts() == ["All arguments"]
    hits = page.request.get("/api/search?q=uniforms&sort=-words").json()["hits"]
    lengths = [len(hit["premises"][0]["text"].split()) for hit in hits]
    assert lengths == sorted(lengths, reverse=True)
    assert titles(page, "any")[0].endswith(f"“{hits[0]['conclusion']}”")
    page.reload()
    done(page)
    assert page.get_by_label("Order").input_value() == "-words"
    page.goto("/?q=uniforms&sort=nonsense")
    page.locator("#error", has_text="sort is 'nonsense'").wait_for()


def test_filters_of_an_address_can_be_removed(open_page):
    page = open_page("/?q=zoos+uniforms&side=any&where=words+%3E%3D+12&where=source+%3D+Uniforms")
    done(page)
    assert page.locator(".chip bdi").all_inner_texts() == ["words >= 12", "Source: Uniforms"]
    page.get_by_role("button", name="Remove all").click()
    until(page, "!location.search.includes('where')")
    assert state(page) == {"q": "zoos uniforms", "side": "any"}


def test_technical_settings_are_apart(open_page):
    page = open_page("/?q=zoos")
    done(page)
    assert not page.get_by_label("Configuration").is_visible()
    page.get_by_text("Narrow down").click()
    assert not page.get_by_label("Configuration").is_visible()
    page.get_by_text("For researchers").click()
    assert page.get_by_label("Configuration").is_visible()


def test_what_may_be_meant_is_a_link(open_page, sampled):
    page = open_page(f"{sampled}/?q=should+zooos+be+abolished")
    done(page)
    assert page.locator("#meant").inner_text() == "Did you mean should zoos be abolished?"
    page.locator("#meant a").click()
    done(page)
    assert state(page)["q"] == "should zoos be abolished"
    assert not page.locator("#meant").is_visible()


def test_both_totals_and_weak_matches_are_said(open_page, sampled):
    page = open_page(f"{sampled}/?q=Should+zoos+be+abolished%3F&side=any&n=100")
    done(page)
    url = f"{sampled}/api/search?q=Should+zoos+be+abolished%3F&k=100"
    answer = page.request.get(url).json()
    assert answer["discriminative"] < answer["total"]
    told = f"{answer['total']} arguments match, "
    told += f"{answer['discriminative']} of them by a word that tells"
    assert told in page.locator("#status").inner_text()
    weak = page.locator(".weak")
    assert weak.count() == 1
    rank = weak.locator("xpath=..").locator(".rank").inner_text()
    assert int(rank.split()[-1]) == answer["first_weak_rank"]


def test_nothing_found_offers_only_what_helps(open_page, sampled):
    page = open_page("/?q=qwertzuiop&where=words+%3E+5")
    done(page)
    empty = page.locator(".empty")
    assert empty.inner_text().strip() == "No argument has any of these words."
    page.goto("/?q=keeper&where=words+%3E+500")
    page.get_by_role("link", name="Without your filters: 1").click()
    done(page)
    assert titles(page, "any") == ["Argues against: “Zoos should be abolished”"]
    page.goto(f"{sampled}/?q=abolisched")
    done(page)
    empty.get_by_role("link", name="abolished").click()
    done(page)
    assert page.locator(".hit").count() > 0
    ask(page, "abolisched")
    assert "filters" not in empty.inner_text()
