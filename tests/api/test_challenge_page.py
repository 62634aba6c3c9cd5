"""The page `/challenge` without a browser: the form, what meets a text, and what is refused."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from argsearch.api.http import challenge_page
from argsearch.api.http.app import create_app
from argsearch.api.http.batch import MOST_BYTES
from argsearch.api.http.pages import Asked
from argsearch.engine import Engine
from argsearch.engine.challenge.author import AuthorSide
from argsearch.ranking.explanation import Explanation
from tests.api.test_argument_page import HOSTILE, Elements

ABOUT = "The death penalty is just"
TEXT = (
    "\nOur city still wants executions. Innocent people have been executed by mistake.\n\n  "
    "The death penalty does not deter murderers in any state. Killing a killer brings no victim "
    "back, because the dead stay dead. Executions cost the state more than a life in prison.\n"
    "My bicycle is blue & has <b>three</b> gears."
)


@pytest.fixture(autouse=True)
def enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample corpus has reasons for a whole position, though none that is sure enough."""
    monkeypatch.setattr("argsearch.engine.challenge.challenge.REASON", 0.7)


@pytest.fixture(scope="module")
def client(sample_index: Path) -> Iterator[TestClient]:
    with TestClient(create_app(sample_index)) as client:
        yield client


def sent(client: TestClient, status: int = 200, **fields: str) -> str:
    """The page that answers a form."""
    answer = client.post("/challenge", data=fields)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    return answer.text


def plain(page: str) -> str:
    return html.unescape(re.sub("<[^>]*>", "", page))


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


@pytest.mark.parametrize("about", ["", ABOUT])
def test_each_claim_stands_beside_what_meets_it(client, about):
    page = sent(client, text=TEXT.replace("\n", "\r\n"), about=about, side="for")
    engine = client.app.state.engine
    found = engine.challenge(TEXT, about=about or None, side="for")
    assert f"“<bdi>{found.about}</bdi>”" in page
    read = re.search(r'id="read">Your text</h2>\n<p dir="auto">(.*?)</p>', page, re.DOTALL)[1]
    assert plain(read) == TEXT, "word for word"
    cards = re.findall(r'<li id="claim-\d+">(.*?)</li>', page, re.DOTALL)
    met = [one for one in found.findings if one.passages]
    assert len(cards) == len(met) > 2
    for number, (card, one) in enumerate(zip(cards, met, strict=True), 1):
        mark = re.search(rf'id="said-{number}" href="#claim-{number}".*?</a>', read, re.DOTALL)[0]
        assert plain(mark[mark.index("<mark>") :]) == TEXT[one.claim.begin : one.claim.end]
        said = {"Against it": found.counter(one), "Supports it": found.support(one)}
        shown = {title: passage for title, passage in said.items() if passage}
        assert re.findall(r'">([A-Z][a-z]+ it):<', card) == list(shown)
        for passage in shown.values():
            assert passage.text in html.unescape(card)
            assert f'href="/arguments/{passage.id}?' in card
    unmet = [html.unescape(one) for one in re.findall(r'<li dir="auto">(.*?)</li>', page)]
    assert unmet == [one.claim.text for one in found.findings if not one.passages]
    whole = page.partition("Against your position as a whole")[2].partition("<h2>")[0]
    assert whole.count("<li>") == len(found.whole["against"]) > 0


def test_a_side_that_is_not_sure_is_asked_for(client, monkeypatch):
    real, unsure = Engine.challenge, AuthorSide("unclear", 0.6, "for", Explanation(0.6, "no idea"))

    def unclear(engine: Engine, text: str, **asked: object):
        found = real(engine, text, **{**asked, "side": asked["side"] or "for"})
        return found if asked["side"] else replace(found, side=unsure)

    monkeypatch.setattr(Engine, "challenge", unclear)
    page = sent(client, text=TEXT, about=ABOUT)
    assert "Against it:" not in page
    assert "The side against says:" in page
    assert "no idea" in page
    form = page[page.index('class="sides"') :].partition("</form>")[0]
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    fields = {name: html.unescape(value) for name, value in hidden.items()}
    assert fields == {"text": TEXT, "about": ABOUT}
    assert re.findall(r'<button name="side" value="(\w+)">', form) == ["for", "against"]
    told = sent(client, **fields, side="for")
    assert "Against it:" in told
    assert re.findall(r'<button name="side" value="(\w+)">', told) == ["against"]


def test_where_nothing_is_about_it_the_page_says_so(client):
    bread = "My grandmother bakes wonderful bread with sourdough every Sunday. Its crust is crisp."
    page = sent(client, text=bread)
    assert "No conclusion of this index is about what the text is about;" in page
    assert "<details open>" in page
    assert "The text has no sentence that claims something." in sent(client, text="Why?")


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({}, 422, "“text” must be a text with at least one word"),
        ({"text": " \n"}, 422, "“text” must be"),
        ({"text": TEXT, "side": "both"}, 422, "“side” must be for, against"),
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
    url = f"https://example.org/{text}"
    passage = SimpleNamespace(
        id=text,
        text=text,
        probability=0.5,
        explanation=explanation,
        argument=SimpleNamespace(conclusion=text),
        source=SimpleNamespace(url=url, line=text),
    )
    claim = SimpleNamespace(begin=1, end=len(text), text=text)
    both = {"for": passage, "against": passage}
    findings = tuple(SimpleNamespace(claim=claim, passages=one) for one in (both, {}))
    side = AuthorSide("unclear", 0.5, "for", explanation)
    whole = dict.fromkeys(both, (passage,))
    found = SimpleNamespace(
        about=text, side=side, opposite="", findings=findings, whole=whole, notes=(text,)
    )
    sent = challenge_page.Sent(text, text)
    return challenge_page._page(Asked(index=text), sent, found, text)


def test_no_text_becomes_an_element():
    assert Elements(written(HOSTILE)).found == Elements(written("harmless")).found
    assert "49" not in written(HOSTILE)
    assert "Nothing here surely meets these (1)" in written("harmless")
