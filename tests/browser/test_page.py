"""The page in a real browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.pages import ask, done, open_more, state, titles, until, wait

pytestmark = pytest.mark.browser


def test_a_question_is_answered_on_both_sides(open_page):
    page = open_page("/")
    ask(page, "school uniforms")
    assert page.locator(".column h2 .title").all_inner_texts() == ["For", "Against"]
    assert len(titles(page, "for")) == len(titles(page, "against")) == 10
    counts = "60 arguments found: 30 for, 30 against."
    assert page.locator("#status").inner_text().startswith(counts)
    boxes = [page.locator(f".column.{side}").bounding_box() for side in ("for", "against")]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert state(page) == {"q": "school uniforms"}
    assert page.title() == "school uniforms · argsearch"
    assert not page.locator("#welcome").is_visible()
    assert page.locator("#title").get_attribute("class") == "hidden"  # the box has room for it
    ask(page, f"school uniforms {'in every class ' * 12}")
    assert page.locator("#title").get_attribute("class") == ""


def test_a_question_asked_before_the_index_is_known_is_answered_then(open_page):
    page = open_page("/")
    held = []
    page.route("**/ready", lambda route: held.append(route))
    page.reload()
    page.get_by_label("Your question").fill("school uniforms")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert state(page) == {}
    wait(page, lambda: held, "the page asks what the index is")
    held.pop().continue_()
    done(page)
    assert len(titles(page, "for")) == 10
    assert state(page) == {"q": "school uniforms"}


def test_the_address_is_the_state(open_page):
    page = open_page("/?q=zoos&side=any&config=heimdall-2021&w_quality=2.5")
    assert len(titles(page, "any")) == 6
    assert page.get_by_label("Your question").input_value() == "zoos"
    assert page.get_by_label("One list, any side").is_checked()
    assert page.get_by_label("Configuration").input_value() == "heimdall-2021"
    assert page.get_by_label("Quality’s weight").input_value() == "2.5"
    assert page.get_by_label("Topic’s weight").input_value() == "10"
    ask(page, "uniforms")
    page.go_back()
    done(page)
    assert page.get_by_label("Your question").input_value() == "zoos"
    assert len(titles(page, "any")) == 6


def test_filters_and_weights_search_again(open_page):
    page = open_page("/?q=school+uniforms")
    page.get_by_text("Narrow down").click()
    assert not page.get_by_label("Configuration").is_visible()
    page.get_by_text("For researchers").click()
    assert page.get_by_label("Configuration").is_visible()
    page.get_by_label("Only against").check()
    done(page)
    assert page.locator(".column h2 .title").all_inner_texts() == ["Against"]
    page.get_by_label("Topic’s weight").focus()
    page.keyboard.press("End")
    page.wait_for_url("**w_cluster=10**")
    done(page)
    page.locator(".why summary").first.click()
    assert "10 w_cluster, weight of the topical cluster" in page.locator(".tree").first.inner_text()
    page.get_by_role("button", name="Use the configuration’s weights").click()
    until(page, "!location.search.includes('w_cluster')")
    done(page)
    page.get_by_label("Configuration").select_option("dirichlet")
    page.wait_for_url("**config=dirichlet**")
    done(page)
    assert "configuration dirichlet" in page.locator("#numbers").inner_text()


def test_more_results_continue_and_take_the_focus(open_page):
    page = open_page("/?q=school+uniforms")
    page.get_by_role("button", name="Show 10 more against").click()
    until(page, "document.querySelectorAll('.column.against li > article').length === 20")
    ranks = page.locator(".column.against .rank").all_inner_texts()
    assert [int(rank.split()[-1]) for rank in ranks] == list(range(1, 21))
    assert page.evaluate(
        "document.activeElement.closest('li') === document.querySelectorAll('.against ol > li')[10]"
    )
    assert state(page)["n"] == "20"
    page.reload()
    done(page)
    assert len(titles(page, "against")) == 20
    page.get_by_role("button", name="Show 10 more for").click()
    until(page, "document.querySelectorAll('.column.for li > article').length === 30")
    assert not page.locator(".column.for .more").is_visible()


def test_the_full_text_is_there_on_demand(open_page):
    page = open_page("/?q=keeper+species")
    item = page.locator(".column.any .hit").first
    text = item.locator("details.text")
    assert not text.get_by_text("They do, 😀 zoos!").is_visible()
    text.get_by_text("Full text").click()
    text.get_by_text("They do, 😀 zoos!").wait_for()
    assert item.locator("mark").all_inner_texts() == ["species", "keeper"]


def test_text_of_a_corpus_stays_text(open_page):
    page = open_page("/?q=zoos&side=any")
    for summary in page.locator(".actions > details > summary").all():
        summary.click()
    assert '<img src=x onerror="window.hacked=1"> zoos' in titles(page, "any")
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0
    links = page.locator(".source a").evaluate_all("links => links.map(link => link.href)")
    assert links
    assert all(link.startswith("https://example.org/") for link in links)


def test_text_of_a_caller_stays_text(open_page):
    page = open_page("/")
    for scripted in ("<script>hacked=1</script>", '"><img src=x onerror=hacked=1>'):
        ask(page, scripted)
        assert page.evaluate("window.hacked") is None
        assert page.get_by_label("Your question").input_value() == scripted


def test_results_can_be_taken_away(open_page, tmp_path):
    page = open_page("/?q=uniforms&side=for")
    page.get_by_text("Export").click()
    endings = {"CSV": "csv", "JSON": "json", "Markdown": "md", "BibTeX": "bib"}
    endings |= {"Argument map (Argdown)": "argdown", "Debate cards": "html"}
    for name, ending in endings.items():
        with page.expect_download() as download:
            page.locator(".export").get_by_role("link", name=name).click()
        assert download.value.suggested_filename == f"arguments-for.{ending}"
        path = tmp_path / ending
        download.value.save_as(path)
        assert path.stat().st_size > 500
    assert len(json.loads(Path(tmp_path / "json").read_text())["hits"]) == 10


def test_what_is_picked_is_taken_away_alone(open_page):
    page = open_page("/?q=should+zoos+be+abolished&side=both")
    lists = page.locator(".column > ol")
    picked = []
    for one in lists.all():
        open_more(one)
        box = one.get_by_label("Pick").first
        box.check()
        picked.append(box.input_value())
    page.get_by_text("Export").first.click()
    links = page.locator(".export a")
    links.first.wait_for()
    assert page.get_by_text("Only picked arguments: 2").is_visible()
    of = {link.inner_text(): link.get_attribute("href") for link in links.all()}
    one = page.request.get(page.url.partition("/?")[0] + of["JSON"]).json()
    assert [hit["id"] for hit in one["hits"]] == picked[:1]
    both = page.request.get(
        page.url.partition("/?")[0] + of["Argument map (Argdown), both sides"]
    ).text()
    assert [both.count(f'"id":"{id}"') for id in picked] == [1, 1]
    assert both.count('"id":') == 2
    lists.first.get_by_label("Pick").first.uncheck()
    assert page.get_by_text("Only picked arguments: 1").is_visible()


def test_a_citation_can_be_copied(open_page):
    page = open_page("/?q=zoos&side=against")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    item = page.locator(".hit", has_text="Animals suffer").or_(
        page.locator(".hit", has=page.get_by_role("link", name="Ann O'Nym"))
    )
    open_more(item)
    item.get_by_text("Cite").first.click()
    item.get_by_role("button", name="Copy BibTeX").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("@misc{zoo/1")
    assert "author = {{Ann O'Nym}}" in copied


def test_nothing_found_and_errors_are_said(open_page):
    page = open_page("/?q=qwertzuiop")
    assert "No argument has any of these words" in page.locator(".column.any .empty").inner_text()
    assert page.locator(".column").count() == 1
    assert not page.locator("#balance").is_visible()
    page.goto("/?q=zoos&config=nope")
    page.locator("#error", has_text="config must be bm25").wait_for()
    assert page.locator(".column").count() == 0
    page.goto("/?q=zoos&stance=toString&side=toString&n=-3&w_cluster=x")
    done(page)
    assert page.locator(".column").count() == 2
    page.route("**/api/search**", lambda route: route.abort())
    page.get_by_role("button", name="Search").click()
    page.locator("#error", has_text="The server cannot be reached").wait_for()


def test_the_keyboard_is_enough(open_page):
    page = open_page("/")
    until(page, "document.activeElement.id === 'q'")
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.type("zoos")
    page.keyboard.press("Enter")
    done(page)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").startswith("Why here?"):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    page.locator(".why[open] .tree").first.wait_for()


def test_screen_readers_get_names_and_order(open_page):
    page = open_page("/?q=zoos")
    tree = page.locator("body").aria_snapshot()
    for line in (
        'combobox "Your question"', 'button "Search"', 'region "For"', 'region "Against"',
        'heading "zoos" [level=1]', 'heading "For: 3 arguments" [level=2]',
        'heading "Zoos should be abolished" [level=3]',
    ):  # fmt: skip
        assert line in tree
    assert page.locator("html").get_attribute("lang") == "en"
    unnamed = page.evaluate(
        """[...document.querySelectorAll('input, select, button, a, summary')]
           .filter(e => e.checkVisibility() && !(e.labels?.length || e.textContent.trim()))
           .map(e => e.outerHTML)"""
    )
    assert unnamed == []


def test_targets_can_be_hit_with_a_thumb(open_page):
    page = open_page("/?q=zoos", 390)
    small = page.evaluate(
        """[...document.querySelectorAll('button, summary, select, .open, input:not([type=radio])')]
           .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24)
           .map((e) => e.outerHTML)"""
    )
    assert small == []
