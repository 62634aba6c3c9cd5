"""Narrowing: facets with counts, order, what may be meant, totals, what helps where nothing is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from tests.api.awkward import serving
from tests.browser.pages import ask, done, state, titles, until

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
    page = open_page("/?q=zoos+uniforms&side=any&discriminative=no")
    opened(page)
    assert choices(page, "Stance to its own conclusion") == {
        "argues for it": 32,
        "argues against it": 32,
    }
    assert choices(page, "Source")["Uniforms"] == 60
    page.get_by_role("button", name="Uniforms").click()
    page.wait_for_url("**where=source**")
    done(page)
    assert "60 arguments found" in page.locator("#status").inner_text()
    chip = page.get_by_role("button", name="Remove the filter Source: Uniforms")
    assert chip.is_visible()
    pressed = page.locator(".choice[aria-pressed=true] bdi")
    done(page)
    assert pressed.all_inner_texts() == ["Uniforms"]
    assert choices(page, "Source")["Zoos"] == 1  # another one can be chosen in its place
    page.reload()
    done(page)
    assert "60 arguments found" in page.locator("#status").inner_text()
    chip.click()
    until(page, "!location.search.includes('where')")
    done(page)
    assert "66 arguments found" in page.locator("#status").inner_text()


def test_every_count_is_what_its_choice_finds(open_page, sampled):
    page = open_page(f"{sampled}/?q=Should+zoos+be+abolished%3F&side=any")
    for name in ("Length, in words", "Predicted quality, 0 to 1", "Stance to its own conclusion"):
        opened(page)
        shown = choices(page, name)
        assert len(shown) > 1
        value, number = next(iter(shown.items()))
        page.get_by_role("list", name=name).get_by_role("button", name=value).first.click()
        until(page, "!document.getElementById('chips').hidden")
        done(page)
        matching = "argument found" if number == 1 else "arguments found"
        assert f"{number} {matching}" in page.locator("#status").inner_text()
        page.locator(".chip").first.click()
        until(page, "document.getElementById('chips').hidden")
    page.get_by_role("button", name="argues against it").focus()  # and stays there
    page.keyboard.press("Enter")
    page.wait_for_url("**stance=con**")
    until(page, "document.querySelector('.choice[aria-pressed=true]')")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Enter")
    until(page, "!location.search.includes('stance')")


def test_the_order_can_be_chosen(open_page):
    page = open_page("/?q=uniforms")
    page.get_by_text("Narrow down").click()
    page.get_by_label("Order").select_option("-words")
    page.wait_for_url("**sort=-words**")
    done(page)
    # what is not about the question is in neither list, wherever it stands
    for side in ("for", "against"):
        url = f"/api/search?q=uniforms&sort=-words&side={side}"
        hits = page.request.get(url).json()["hits"]
        lengths = [len(hit["premises"][0]["text"].split()) for hit in hits]
        assert lengths == sorted(lengths, reverse=True)
        assert titles(page, side) == [hit["conclusion"] for hit in hits]
    page.reload()
    done(page)
    assert page.get_by_label("Order").input_value() == "-words"
    page.goto("/?q=uniforms&sort=nonsense")
    page.locator("#error", has_text="sort must be one of").wait_for()


def test_filters_of_an_address_can_be_removed(open_page):
    page = open_page(
        "/?q=zoos+uniforms&side=any&discriminative=no&where=words+%3E%3D+12&where=source+%3D+Uniforms"
    )
    assert page.locator(".chip bdi").all_inner_texts() == ["words >= 12", "Source: Uniforms"]
    page.get_by_role("button", name="Remove all").click()
    until(page, "!location.search.includes('where')")
    assert state(page) == {"q": "zoos uniforms", "side": "any", "discriminative": "no"}


def test_what_may_be_meant_is_a_link(open_page, sampled):
    page = open_page(f"{sampled}/?q=should+zooos+be+abolished")
    assert page.locator("#meant").inner_text() == "Did you mean should zoos be abolished?"
    page.locator("#meant a").click()
    done(page)
    assert state(page)["q"] == "should zoos be abolished"
    assert not page.locator("#meant").is_visible()


def test_what_shares_only_common_words_is_a_click_away_and_weak(open_page, sampled):
    page = open_page(f"{sampled}/?q=Should+zoos+be+abolished%3F&side=any&n=100")
    url = f"{sampled}/api/search?q=Should+zoos+be+abolished%3F&k=100"
    answer = page.request.get(url).json()
    some = answer["discriminative"]
    assert page.locator("#status").inner_text().startswith(f"{some} arguments found: ")
    assert page.locator(".hit").count() == some < answer["total"]
    beyond = page.locator("#beyond")
    assert beyond.inner_text().startswith(f"{answer['total'] - some} more share only common words")
    beyond.get_by_role("link", name="show these too").click()
    page.wait_for_url("**discriminative=no**")
    done(page)
    assert f"{answer['total']} arguments found" in page.locator("#status").inner_text()
    beyond.get_by_role("link", name="leave these out").click()
    until(page, "!location.search.includes('discriminative')")
    done(page)
    assert page.locator("#status").inner_text().startswith(f"{some} arguments found: ")
    for n, last in ((100, url), (10, url.replace("k=100", "k=10&page=2"))):
        page.goto(f"{sampled}/?q=Should+zoos+be+abolished%3F&side=any&n={n}&discriminative=no")
        done(page)
        if n == 10:
            page.get_by_role("button", name="Show 10 more").click()
            until(page, "document.querySelectorAll('.hit').length === 20")
        rank = page.locator(".weak").locator("xpath=..").locator(".rank").inner_text()
        assert int(rank.split()[-1]) == page.request.get(last).json()["first_weak_rank"] != 11


def test_order_and_facets_are_of_what_matters(open_page, sampled):
    question = "q=Should+zoos+be+abolished%3F"
    page = open_page(f"{sampled}/?{question}&sort=-quality&side=any&n=100")
    url = f"{sampled}/api/search?{question}&discriminative=true&facet=source&k=1"
    total = page.request.get(url).json()["total"]
    assert "best argued first" in page.locator("#status").inner_text()
    answer = page.request.get(f"{url}&sort=-quality").json()
    assert 0 < answer["total"] < total  # only what is on the question is sorted and counted
    assert page.locator(".hit").count() == answer["total"]
    opened(page)
    sources = {one["value"]: one["count"] for one in answer["facets"]["source"]}
    shown = choices(page, "Source")
    assert shown == {name: sources[name] for name in shown}
    assert sum(shown.values()) <= answer["total"]
    page.get_by_role("link", name="See all results, best match first").click()
    page.wait_for_url(lambda url: "sort" not in url)


def test_nothing_found_offers_only_what_helps(open_page, sampled):
    page = open_page("/?q=qwertzuiop&where=words+%3E+5")
    empty = page.locator(".empty")
    said = "No argument has any of these words. Ask in other words, "
    said += "or see what is in this collection."
    empty.get_by_role("link").wait_for()
    assert empty.inner_text().strip() == said
    empty.get_by_role("link").click()
    done(page)
    assert state(page) == {"view": "map"}
    page.goto("/?q=keeper&where=words+%3E+500")
    page.get_by_role("link", name="Without your filters: 1").click()
    done(page)
    assert titles(page, "any") == ["Zoos should be abolished"]
    page.goto(f"{sampled}/?q=abolisched")
    done(page)
    empty.get_by_role("link", name="abolished").click()
    done(page)
    assert page.locator(".hit").count() > 0
    ask(page, "abolisched")
    assert "filters" not in empty.inner_text()


SOURCES = ["Guardian", "London", "Guardian, London", 'Say "no", twice', '"Quoted"']


@pytest.fixture(scope="module")
def awkward_sources(tmp_path_factory) -> Iterator[str]:
    """Where the page is served with sources whose names hold commas and quotes."""
    folder = tmp_path_factory.mktemp("sources")
    corpus = folder / "corpus.jsonl"
    arguments = [
        {"id": f"{place}-{n}", "conclusion": "Zoos", "context": {"sourceDomain": source}}
        | {"premises": [{"text": f"Zoos are good for {n} animals.", "stance": "PRO"}]}
        for place, source in enumerate(SOURCES)
        for n in range(place + 1)
    ]
    corpus.write_text("".join(json.dumps(one) + "\n" for one in arguments), "utf-8")
    settings = IndexSettings(quality_model="none")
    build(BuildRequest([str(corpus)], folder / "index", settings))
    with serving(folder / "index") as address:
        yield address


def test_a_source_is_chosen_alone_whatever_its_name_holds(open_page, awkward_sources):
    page = open_page(f"{awkward_sources}/?q=zoos&side=any&discriminative=no")
    opened(page)
    assert choices(page, "Source") == {name: n for n, name in enumerate(SOURCES, 1)}
    for number, name in enumerate(SOURCES, 1):
        opened(page)
        source = page.get_by_role("list", name="Source").get_by_role("button")
        source.filter(has_text=re.compile(rf"^{re.escape(name)} \d+$")).click()
        until(page, "location.search.includes('where')")
        done(page)
        matching = "argument found" if number == 1 else "arguments found"
        assert f"{number} {matching}" in page.locator("#status").inner_text()
        page.reload()
        done(page)
        assert page.locator(".chip bdi").all_inner_texts() == [f"Source: {name}"]
        opened(page)
        assert page.locator(".choice[aria-pressed=true] bdi").all_inner_texts() == [name]
        page.get_by_role("button", name=f"Remove the filter Source: {name}", exact=True).click()
        until(page, "!location.search.includes('where')")
        done(page)
