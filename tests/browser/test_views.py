"""The views of an index's parts: pairs, premises, counter-arguments, collapsed near-duplicates."""

from __future__ import annotations

import pytest

from tests.browser.pages import arrive, ask, done, open_more, state, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ZOOS = "q=Should+zoos+be+abolished%3F"
HOSTILE = "q=" + "%3Cimg+src%3Dx+onerror%3D%22window.hacked%3D1%22%3E+zoos"


def views(page) -> list[str]:
    return page.locator("#views a:visible").all_inner_texts()


def test_a_view_is_there_where_the_index_has_its_part(open_page, parted):
    page = open_page("/?q=zoos&view=pairs")
    assert views(page) == ["Arguments", "Key points", "Map"]
    assert page.locator(".column .hit").count() > 0
    assert page.locator("a.counter").count() == 0
    page.goto(f"{parted}/?q=zoos")
    done(page)
    assert views(page) == ["Arguments", "Key points", "Two sentences", "Reasons by claim", "Map"]
    page.goto(f"{parted}/")
    done(page)
    assert views(page) == []


def test_the_address_carries_the_view(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}")
    page.get_by_role("link", name="Two sentences").click()
    done(page)
    assert state(page) == {"q": "Should zoos be abolished?", "view": "pairs"}
    assert page.locator("#views [aria-current=page]").inner_text() == "Two sentences"
    assert not page.locator("#narrow").is_visible()
    assert not page.locator("#balance").is_visible()
    ask(page, "school uniforms")
    assert state(page) == {"q": "school uniforms", "view": "pairs"}
    page.go_back()
    done(page)
    page.go_back()
    done(page)
    assert state(page) == {"q": "Should zoos be abolished?"}
    assert page.locator("#balance").is_visible()


def test_a_pair_is_two_sentences_a_card(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=pairs")
    hits = page.request.get(f"{parted}/api/pairs?{ZOOS}&k=10").json()["hits"]
    cards = page.locator("article.hit")
    assert cards.count() == len(hits) == 10
    assert page.locator(".column h2 .title").all_inner_texts() == [
        "For the claim",
        "Against the claim",
    ]
    for hit in hits:
        column = ".column.for" if hit["stance"] == "PRO" else ".column.against"
        card = page.locator(f"{column} [data-rank='{hit['rank']}']")
        assert card.locator("h3").inner_text() == hit["texts"][0]
        carries = "because:" if hit["stance"] == "PRO" else "against it:"
        assert card.locator(".sentence").inner_text() == f"{carries} {hit['texts'][1]}"
    premise = cards.first.locator(".sentence bdi").inner_text()
    cards.first.get_by_role("link", name="Whole argument").click()
    arrive(page, ".whole")
    assert premise in page.locator(".whole").inner_text()
    assert page.locator("mark").count() > 0


@pytest.mark.parametrize("view", ["pairs", "premises"])
def test_the_numbers_are_there_on_demand(open_page, parted, view):
    page = open_page(f"{parted}/?{ZOOS}&view={view}")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    done(page)
    card = page.locator("[data-rank='3']")
    card.get_by_text("Why here?").click()
    card.locator(".tree").wait_for()
    page.locator("[data-rank='1']").get_by_text("Why here?").click()
    page.locator("[data-rank='1'] .tree").wait_for()
    assert len([url for url in asked if "explain=true" in url]) <= 1
    url = f"{parted}/api/{view}?{ZOOS}&k=20&explain=true"
    explained = page.request.get(url).json()["hits"][2]["explanation"]
    root = card.locator(".tree b").first.inner_text()
    assert float(root) == pytest.approx(explained["value"], rel=1e-4)


@pytest.mark.parametrize("view", ["pairs", "premises"])
def test_more_follow_and_take_the_focus(open_page, parted, view):
    page = open_page(f"{parted}/?{ZOOS}&view={view}")
    before = page.locator("article.hit").count()
    page.get_by_role("button", name="Show more").click()
    until(page, f"document.querySelectorAll('article.hit').length > {before}")
    assert state(page)["n"] == "20"
    until(page, f"document.activeElement.closest('article')?.dataset.rank > {before}")
    page.reload()
    done(page)
    assert page.locator("article.hit").count() > before


def test_claims_have_their_premises_for_and_against(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&view=premises")
    url = f"{parted}/api/premises?{ZOOS}&k=20"
    hits = page.request.get(url).json()["hits"]
    claims = list(dict.fromkeys(hit["claims"][0]["text"] for hit in hits))
    shown = page.locator(".claim > h2").all_inner_texts()
    assert shown == [f"“{claim}”" for claim in claims]
    for hit in hits:
        side = "for" if hit["stance"] == "PRO" else "against"
        card = page.locator(f".column.{side} [data-rank='{hit['rank']}']")
        assert card.locator(".sentence").inner_text() == hit["sentence"]["text"]
        whole = " ".join(hit["representative"]["text"].split())
        assert all(part in whole for part in hit["sentence"]["text"].split(" … "))
    titles = set(page.locator(".claim .column h3 .title").all_inner_texts())
    assert titles <= {"For the claim", "Against the claim"}


def test_a_long_premise_and_its_members_are_there_on_demand(open_page, parted):
    page = open_page(f"{parted}/?q=school+uniforms&view=premises&n=100")
    members = page.locator(".members").first
    number = int(members.locator("summary").inner_text().split()[0])
    members.locator("summary").click()
    members.locator("li").first.wait_for()
    assert 1 <= members.locator("li").count() <= number
    members.locator("a").first.click()
    arrive(page, ".whole")


def test_counter_arguments_are_a_link_and_a_section(open_page, parted):
    page = open_page(f"{parted}/?{ZOOS}&side=any")
    page.locator("a.counter").first.click()
    arrive(page, "#counter")
    assert page.url.endswith("#counter")
    id = page.locator(".facts code").inner_text()
    found = page.request.get(f"{parted}/api/arguments/{id}/counter?k=5").json()["hits"]
    shown = page.locator("#counter li")
    assert shown.count() == len(found) == 5
    assert found[0]["conclusion"] in shown.first.locator("h3").inner_text()
    shown.first.get_by_role("link").click()
    until(page, f"!location.href.includes({id!r})")
    arrive(page, ".facts code")
    assert page.locator(".facts code").inner_text() == found[0]["id"]


def test_near_copies_are_one_with_links_to_the_others(open_page, parted):
    page = open_page(f"{parted}/?q=pupils+equal&side=any")
    collapsed = page.locator("article.hit").count()
    found = page.locator(".column.any .count").inner_text().split()[1]
    assert page.locator("#status").inner_text().startswith(f"{found} argument")  # collapsed too
    card = page.locator("article.hit", has=page.locator(".near-duplicates")).first
    open_more(card)
    more = int(card.locator(".near-duplicates summary").inner_text().split()[0])
    card.locator(".near-duplicates summary").click()
    card.locator(".near-duplicates li").first.wait_for()
    assert card.locator(".near-duplicates li").count() == more
    own = card.get_by_role("link", name="Argument’s page").get_attribute("href")
    page.get_by_text("Narrow down").click()
    page.get_by_label("Near-duplicates as one").uncheck()
    page.wait_for_url("**collapse=no**")
    done(page)
    assert page.locator(".near-duplicates").count() == 0
    assert page.locator("article.hit").count() >= collapsed
    page.goto(parted + own)
    assert "Near-duplicates" in page.locator(".facts").inner_text()


@pytest.mark.parametrize("view", ["pairs", "premises"])
def test_text_of_a_corpus_stays_text(open_page, parted, view):
    page = open_page(f"{parted}/?{HOSTILE}&view={view}&n=100")
    for summary in page.locator(".actions > details > summary").all():
        summary.click()
    done(page)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0
    assert page.get_by_text("<img src=x onerror=").count() > 0
    if view != "pairs":  # whose premises are sentences, and this is none
        assert page.get_by_text("<script>window.hacked=1</script>").count() > 0


def test_nothing_found_is_said_and_leads_on(open_page, parted):
    page = open_page(f"{parted}/?q=qwertzuiop&view=pairs")
    assert page.locator("#error").inner_text() == ""
    page.goto(f"{parted}/?q=qwertzuiop&view=premises")
    done(page)
    assert page.locator("#error").inner_text() == ""
    empty = page.locator(".empty")
    assert "No claim has any of these words" in empty.inner_text()
    empty.get_by_role("link", name="look for whole arguments").click()
    done(page)
    assert state(page) == {"q": "qwertzuiop"}


def test_where_all_are_for_their_conclusions_nothing_is_labelled(open_page, one_sided):
    page = open_page(f"{one_sided}/?q=zoos")
    assert page.locator(".column h2 .title").all_inner_texts() == ["All arguments"]
    assert page.locator(".own").count() == page.locator(".towards").count() == 0
    assert not page.locator("#balance").is_visible()
    page.get_by_text("Narrow down").click()
    assert not page.get_by_label("Only for").is_visible()
    assert state(page) == {"q": "zoos"}
