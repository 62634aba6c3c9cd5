"""The page `/challenge` without a browser: the form, what speaks against a text, errors."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from argsearch.api.http import challenge_page
from argsearch.api.http.batch import MOST_BYTES
from argsearch.api.http.pages import Asked
from argsearch.engine.challenge.author import AuthorSide
from argsearch.engine.results.quotes import QuoteSection
from argsearch.ranking.explanation import Explanation
from tests.api.test_argument_page import HOSTILE, Elements

SERVED = "sample_index"

ABOUT = "The death penalty is just"
TEXT = (
    "\nOur city still wants executions. Innocent people have been executed by mistake.\n\n  "
    "The death penalty does not deter murderers in any state. Killing a killer brings no victim "
    "back, because the dead stay dead. Executions cost the state more than a life in prison.\n"
    "My bicycle is blue & has <b>three</b> gears."
)
UNSURE = "Homework is given at many schools. Some families like it at home."


def sent(client: TestClient, status: int = 200, **fields: str) -> str:
    """The page that answers a form."""
    answer = client.post("/challenge", data=fields)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    return answer.text


def sections(page: str) -> list[tuple[str, str, list[str]]]:
    """Of each section its colour, its heading, and its cards."""
    found = re.findall(
        r'<section class="column (\w+)".*?<h2[^>]*>(.*?)</h2>(.*?)</section>', page, re.DOTALL
    )
    cards = r'<li class="quote">(.*?)</li>'
    return [
        (kind, html.unescape(title), re.findall(cards, rest, re.DOTALL))
        for kind, title, rest in found
    ]


def test_the_form_is_a_page_without_scripts_that_others_lead_to(client):
    page = client.get("/challenge").text
    assert page.count("<script") == 0
    fields = page[page.index("<form") :]
    assert set(re.findall(r' name="(\w+)"', fields)) == {"text", "about", "side"}
    assert '<p class="tagline"><a href="/">Ask a question</a></p>' in page
    for path in ("/", "/arguments/none"):
        assert 'href="/challenge"' in client.get(path).text
    refused = client.delete("/challenge")
    assert refused.status_code == 405
    assert sorted(refused.headers["allow"].split(", ")) == ["GET", "POST"]


@pytest.mark.parametrize(("about", "side"), [("", "for"), (ABOUT, "against")])
def test_what_speaks_against_the_text_stands_first(client, about, side):
    page = sent(client, text=TEXT.replace("\n", "\r\n"), about=about, side=side)
    found = client.app.state.engine.challenge(TEXT, about=about or None, side=side)
    assert f"“<bdi>{found.about}</bdi>”" in page
    shown = sections(page)
    assert [kind for kind, _, _ in shown] == ["against", "for"], "the colours are the text's"
    assert [title for _, title, _ in shown] == [one.heading for one in found.sections]
    assert found.sections[0].side != side
    for (_, _, cards), section in zip(shown, found.sections, strict=True):
        assert len(cards) == len(section.quotes) > 0
        for card, quote in zip(cards, section.quotes, strict=True):
            assert f"“{quote.text}”" in html.unescape(card)
            assert f'href="/arguments/{quote.id}?' in card
            assert f"Why here? It {quote.reason}" in html.unescape(card)
            assert quote.explanation.lines()[0] in html.unescape(card)
    area = html.unescape(re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)[1])
    assert area == TEXT, "word for word"


def test_a_side_that_is_not_sure_is_asked_for(client):
    page = sent(client, text=UNSURE)
    assert "The text does not make it clear." in page
    assert "the text: arguments" not in page
    form = page[page.index('class="sides"') :].partition("</form>")[0]
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    fields = {name: html.unescape(value) for name, value in hidden.items()}
    assert fields == {"text": UNSURE, "about": ""}
    assert re.findall(r'<button name="side" value="(\w+)">', form) == ["for", "against"]
    told = sent(client, **fields, side="for")
    assert sections(told)[0][1].startswith("Against the text: arguments against")
    assert re.findall(r'<button name="side" value="(\w+)">', told) == ["against"]


def test_where_nothing_is_about_it_the_page_says_so(client):
    bread = "My grandmother bakes wonderful bread with sourdough every Sunday. Its crust is crisp."
    page = sent(client, text=bread)
    assert "No conclusion of this index is about the subject of your text." in page
    assert "<details open>" in page
    assert "The text has no sentence that makes a claim." in sent(client, text="Why?")


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({}, 422, "“text” must be a text with at least one word"),
        ({"text": " \n"}, 422, "“text” must be"),
        ({"text": TEXT, "side": "both"}, 422, "“side” must be for or against"),
        ({"text": TEXT, "about": "a" * 2001}, 422, "“about” must be"),
        ({f"f{n}": "x" for n in range(17)}, 422, "“form” must be"),
        ({"text": "a" * MOST_BYTES}, 413, "send a shorter text"),
    ],
    ids=["nothing", "blank", "side", "long", "fields", "large"],
)
def test_what_cannot_be_challenged_is_said_above_the_form(client, fields, status, said):
    page = sent(client, status, **fields)
    assert said in page.partition('role="alert">')[2].partition("</p>")[0]
    assert status == 413 or fields.get("text", "") in html.unescape(page), "it is not lost"


def test_an_index_that_is_not_there_is_a_page(client):
    answer = client.post("/challenge?index=none", data={"text": TEXT})
    assert answer.status_code == 404
    assert "No index has this name" in answer.text


def written(text: str) -> str:
    """The page of an answer, all of which is this text."""
    explanation = SimpleNamespace(lines=lambda: [text])
    quote = SimpleNamespace(
        id=text,
        text=text,
        reason=text,
        explanation=explanation,
        argument=SimpleNamespace(conclusion=f"{text}?"),
        source=SimpleNamespace(url=f"https://example.org/{text}", line=text),
    )
    side = AuthorSide("unclear", 0.5, "for", Explanation(0.5, text))
    shown = tuple(QuoteSection(text, one, 1, (quote,)) for one in ("against", "for"))
    found = SimpleNamespace(about=text, side=side, opposite="", sections=shown, notes=(text,))
    sent = challenge_page.Sent(text, text)
    return challenge_page._page(Asked(index=text), sent, found, text)


def test_no_text_becomes_an_element():
    assert Elements(written(HOSTILE)).found == Elements(written("harmless")).found
    assert "49" not in written(HOSTILE)
    assert written("harmless").count("harmless") > 20
