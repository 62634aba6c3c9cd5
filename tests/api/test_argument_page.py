"""What is served beside the search: an argument's page, examples, the weight of the page."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from types import SimpleNamespace
from urllib.parse import quote

import httpx
import pytest

from argsearch.api import cards, templates
from argsearch.api.http import pages
from argsearch.api.http.pages import Asked
from argsearch.engine.overview.questions import question_of
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from tests.api.awkward import ARGUMENTS


@pytest.mark.thorough
@pytest.mark.parametrize("argument", ARGUMENTS[:6], ids=lambda argument: argument["id"])
def test_every_argument_is_found_by_its_id_and_has_a_page(live, argument):
    """Over a real connection: the client in this process decodes a path twice."""
    for base in ("/api/arguments", "/api/v2/arguments"):
        answer = httpx.get(f"{live}{base}/{quote(argument['id'], safe='')}", timeout=60)
        assert answer.status_code == 200
        assert answer.json()["id"] == argument["id"]
        assert answer.json()["context"] == argument["context"]
    answer = httpx.get(live + Asked("zoos").page(argument["id"]), timeout=60)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text.count("<script") == 0
    assert ("<mark>" in answer.text) is ("zoos" in str(argument).lower())


def test_text_is_escaped_and_scripts_are_no_links(client):
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in client.get("/arguments/xss").text
    assert "javascript:" not in client.get("/arguments/zoo-2").text
    for path in ("/arguments/zoo-2", "/arguments/%22%3E%3Cb%3E"):
        page = client.get(path, params={"q": '"><b>'}).text
        assert "<b>" not in page
        assert "&#34;&gt;&lt;b&gt;" in page


class Elements(HTMLParser):
    """Every element of a page, with the names of its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, *(name for name, _ in attrs)))


HOSTILE = '"><img src=x onerror="window.hacked=1"><script>zoos</script>{{ 7 * 7 }}'


def written(text: str) -> str:
    """The page of an argument, everything of which is this text, and whose counters are too."""
    argument = SimpleNamespace(id=text, conclusion=text, premise=text, stance=None)
    sentence = SimpleNamespace(text=text, parts=lambda: [(text, True), (text, False)])
    side = SimpleNamespace(probability=0.9, explanation=SimpleNamespace(lines=lambda: [text]))
    hit = SimpleNamespace(side=side)
    return templates.page(
        "argument.html",
        asked=Asked(text, text),
        argument=argument,
        stance_phrase=cards.stance_phrase,
        conclusion=[(text, False), (text, True)],
        paragraphs=[[(text, True), (text, False)]],
        source=SimpleNamespace(
            line=text, url=f"https://example.org/{text}", date=text, accessed=text
        ),
        quality=0.5,
        copies=[text, text],
        most_copies=1,
        counters=[SimpleNamespace(argument=argument, sentence=sentence, side=text, hit=hit)],
        bibtex=text,
        markdown=text,
    )


def test_no_text_becomes_an_element_of_an_argument_s_page():
    assert Elements(written(HOSTILE)).found == Elements(written("harmless")).found
    assert "49" not in written(HOSTILE)


def test_an_unknown_id_is_a_page_with_404(client):
    answer = client.get("/arguments/no/such")
    assert answer.status_code == 404
    assert "no/such" in answer.text
    assert "content-security-policy" in answer.headers
    assert client.get("/arguments/zoo-2", params={"q": "a" * 2001}).status_code == 422


def test_examples_are_debatable_conclusions_of_the_index_as_questions(client):
    found = client.get("/api/examples").json()["examples"]
    conclusions = {argument["conclusion"] for argument in ARGUMENTS}
    assert found[:2] == ["Should zoos be abolished?", "Are school uniforms good?"]
    assert set(found) <= conclusions | {question_of(one) for one in conclusions if one}
    assert client.get("/api/examples").json()["examples"] == found


URL = "https://example.org/zoos?a=1&b=2"
READ = {"sourceUrl": URL, "date": "2019-05-06T07:08:09Z", "acquisitionTime": "2020-01-02T03:04:05Z"}


def test_long_texts_have_paragraphs(client):
    long = Argument("long", "Zoos", (Premise("Zoos are good for animals. " * 100, Stance.PRO),))
    page = pages.argument_page(client.app.state.engine, long, Asked())
    assert page.count('<p dir="auto">') > 3
    for text, said in (("Zoos are good.", "“<bdi>Zoos are good.</bdi>”"), ("", "<bdi>a</bdi>")):
        unnamed = Argument("a", None, (Premise(text, Stance.PRO),))
        assert f"{said}</h1>" in pages.argument_page(client.app.state.engine, unnamed, Asked())


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (READ, {"Address": f"{URL}, read on 2020-01-02", "Date": "2019-05-06"}),
        ({"sourceUrl": URL}, {"Address": URL}),
        ({"date": "2019"}, {"Date": "2019"}),
        ({"sourceUrl": URL, "date": "2019"}, {"Address": URL, "Date": "2019"}),
        ({"acquisitionTime": "2020-01-02T00:00:00Z"}, {}),
    ],
    ids=["all", "address", "year", "both", "neither"],
)
def test_a_year_and_an_address_are_each_said_without_the_other(client, context, said):
    one = Argument("one", "Zoos", (Premise("Zoos are good.", Stance.PRO),), context)
    page = pages.argument_page(client.app.state.engine, one, Asked())
    facts = dict(re.findall(r"<dt>(Date|Address)</dt><dd>(.*?)</dd>", page))
    shown = {name: html.unescape(re.sub("<.*?>", "", fact)) for name, fact in facts.items()}
    assert shown == said


def test_an_unknown_path_is_a_page_for_a_browser_alone(client):
    answer = client.get("/nope", headers={"Accept": "text/html,*/*"})
    assert (answer.status_code, answer.headers["vary"]) == (404, "Accept")
    assert "There is no such page" in answer.text
    for path, accept in (("/nope", "*/*"), ("/api/nope", "text/html")):
        answer = client.get(path, headers={"Accept": accept})
        assert answer.headers["content-type"] == "application/problem+json"


def test_what_is_allowed_is_what_the_description_has(client):
    paths = client.get("/openapi.json").json()["paths"]
    for path in ("/api/search", "/api/arguments", "/health"):
        answer = client.delete(path)
        assert answer.status_code == 405
        assert {m.lower() for m in answer.headers["allow"].split(", ")} == set(paths[path])
