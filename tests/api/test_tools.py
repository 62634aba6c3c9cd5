"""The tools of a language model: what they answer, and that it stays within its budget."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.api.mcp import budget
from argsearch.api.mcp.asking import Tools
from argsearch.api.mcp.budget import MIN_BYTES, BudgetTooSmall, CursorStale
from argsearch.api.mcp.shapes import Gist
from argsearch.engine import Engine
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings
from tests.indexes import document, indexed

QUESTION = "should zoos be abolished"


@pytest.fixture(scope="module")
def tools(counter_index: Path) -> Tools:
    return Tools(Engine.open(counter_index))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    """An argument whose every field is as long as it likes, in letters of four bytes."""
    folder = tmp_path_factory.mktemp("long")
    text = '𝔷𝔬𝔬 zoos "quoted" \\ ' * 3000
    where = {"sourceTitle": "𝔷" * 5000, "sourceUrl": "https://example.org/" + "z" * 5000}
    argument = document("long", "zoos " + "𝔷" * 5000, text, stance="PRO", **where)
    settings = IndexSettings(quality_model="none", parts=())
    return Tools(Engine.open(indexed(folder, [argument], settings)))


def bytes_of(answer) -> int:
    """As it goes over the wire: data, and text."""
    text = answer.model_dump_json()
    message = {"content": [{"type": "text", "text": text}], "structuredContent": json.loads(text)}
    return len(orjson.dumps(message))


def pages(ask, most, **asked):
    """Every answer that cursors lead to, each within its budget."""
    cursor = None
    for _ in range(200):
        answer = ask(**asked, cursor=cursor, max_bytes=most)
        assert bytes_of(answer) <= most
        yield answer
        if (cursor := answer.cursor) is None:
            return


def test_a_search_gives_gists_in_the_order_of_the_engine(tools):
    answer = tools.ask("arguments", QUESTION, limit=4, max_bytes=20_000)
    wanted = tools.engine.search(QUESTION, k=4, spread=True, discriminative=True, sides=True)
    assert [one.id for one in answer.arguments] == [hit.id for hit in wanted.hits]
    assert [one.rank for one in answer.arguments] == [1, 2, 3, 4]
    assert answer.total == wanted.total
    assert answer.claim == wanted.balance.claim.reading
    assert [one.side for one in answer.arguments] == [hit.side.value for hit in wanted]
    assert all(one.gist and one.conclusion for one in answer.arguments)


@pytest.mark.parametrize("most", [MIN_BYTES, 100_000])
def test_both_sides_come_by_turns_and_each_once(tools, most):
    asked = {"spread": True, "discriminative": True, "sides": True}
    found = tools.engine.search(QUESTION, **asked)
    lists = {side: found.on(side, k=100).hits.ids for side in ("for", "against")}
    assert {one.side for one in tools.ask("arguments", QUESTION, side="for").arguments} == {"for"}
    seen, ask = [], partial(tools.ask, "arguments", QUESTION)
    for answer in pages(ask, most, limit=7, side="both"):
        assert answer.total == sum(map(len, lists.values()))
        seen += [(one.side, one.rank, one.id) for one in answer.arguments]
    first = [side for side, _, _ in seen[:6]]
    assert first == ["for", "against"] * 3
    for side, ids in lists.items():
        assert [(rank, id) for of, rank, id in seen if of == side] == [*enumerate(ids, 1)]


@pytest.mark.thorough
@pytest.mark.parametrize("most", [MIN_BYTES, 3000, 8000])
def test_cursors_lead_through_all_once(tools, most):
    seen = []
    for answer in pages(partial(tools.ask, "arguments", QUESTION), most, limit=3):
        assert 1 <= len(answer.arguments) <= 3
        seen += [one.rank for one in answer.arguments]
    assert seen == list(range(1, answer.total + 1))


@pytest.mark.thorough
def test_a_long_text_comes_in_parts_that_join(long):
    whole = long.engine.argument("long").premise
    text = ""
    for part in pages(partial(long.argument, "long"), MIN_BYTES * 3):
        assert part.begin == len(text)
        text += part.text
    assert text == whole


@pytest.mark.thorough
@pytest.mark.parametrize("most", [MIN_BYTES, 3000, 100_000])
def test_cursors_lead_through_all_that_speaks_against_a_text_and_for_it(tools, most):
    text = "Zoos should be abolished. Animals suffer in zoos. " + "Zoo animals live longer. " * 9
    asked = {"text": text, "about": "Zoos should be abolished", "side": "for"}
    found = tools.engine.challenge(**asked, k=4)
    wanted = [(of.side, one.id) for of in found.sections for one in of.quotes]
    assert wanted[0][0] == "against"
    seen = []
    for answer in pages(tools.challenge, most, **asked, limit=4):
        seen += [(of.side, one.id) for of in answer.sections for one in of.quotes]
    assert seen == wanted
    assert (answer.side, answer.probability, answer.opposite) == ("for", 1.0, "against")
    assert tools.challenge("?").sections == []


def test_what_is_long_is_cut_to_the_smallest_budget(long):
    answer = long.ask("arguments", "zoos", max_bytes=MIN_BYTES)
    assert bytes_of(answer) <= MIN_BYTES
    assert answer.arguments[0].gist.endswith(budget.ELLIPSIS)
    assert answer.arguments[0].url is None  # a part of an address leads nowhere
    asked = {"text": "Zoos are bad for animals.", "about": f"zoos {'𝔷' * 1900}"}
    first = long.challenge(**asked, side="against", max_bytes=MIN_BYTES)
    assert bytes_of(first) <= MIN_BYTES
    assert first.about.endswith(budget.ELLIPSIS)


def test_counters_answer_an_argument(tools):
    id = tools.engine.search(QUESTION).hits[0].id
    first = tools.ask("counters", id, limit=2, max_bytes=MIN_BYTES * 2)
    assert first.arguments
    assert id not in [one.id for one in first.arguments]
    second = tools.ask("counters", id, limit=2, cursor=first.cursor)
    assert second.arguments[0].rank == first.arguments[-1].rank + 1


def test_an_explanation_is_that_of_the_hit(tools):
    hit = tools.engine.search(QUESTION).hits[2]
    answer = tools.explain(QUESTION, hit.id, max_bytes=50_000)
    assert (answer.rank, answer.score) == (3, hit.score)
    assert answer.because == hit.explanation.lines()
    assert answer.cursor is None
    parts = pages(partial(tools.explain, QUESTION, hit.id), MIN_BYTES)
    assert [line for part in parts for line in part.because] == answer.because


def test_a_cursor_of_another_index_is_refused(tools):
    with pytest.raises(CursorStale, match="repeat the request without"):
        tools.ask("arguments", QUESTION, cursor="0123456789abcdef:01234567:3")


def test_a_cursor_belongs_to_what_was_asked(tools):
    hits = tools.engine.search(QUESTION).hits
    first = tools.ask("arguments", QUESTION, limit=1)
    explained = tools.explain(QUESTION, hits[0].id, max_bytes=MIN_BYTES)
    countered = tools.ask("counters", hits[0].id, limit=1)
    assert None not in (first.cursor, explained.cursor, countered.cursor)
    assert tools.ask("arguments", QUESTION, limit=4, cursor=first.cursor).arguments
    for asked in (
        lambda: tools.ask("arguments", f"{QUESTION}s", cursor=first.cursor),
        lambda: tools.ask("arguments", QUESTION, side="for", cursor=first.cursor),
        lambda: tools.ask("counters", hits[1].id, cursor=countered.cursor),
        lambda: tools.ask("arguments", hits[0].id, cursor=countered.cursor),
        lambda: tools.explain(QUESTION, hits[1].id, explained.cursor),
        lambda: tools.explain(f"{QUESTION}s", hits[0].id, explained.cursor),
        lambda: tools.argument(hits[0].id, explained.cursor),
    ):
        with pytest.raises(InvalidParameter, match="cursor"):
            asked()


def test_unknown_ids_and_missing_parts_are_said(tools, long):
    for asked in (lambda: tools.argument("nope"), lambda: tools.explain(QUESTION, "nope")):
        with pytest.raises(Exception, match="no argument has the id 'nope'"):
            asked()
    with pytest.raises(PartMissing, match="--with counter"):
        long.ask("counters", "long")


@pytest.mark.thorough
@settings(max_examples=50)
@given(st.text(max_size=300), st.integers(2, 100))
def test_a_shortened_text_is_a_beginning(text, most):
    cut = budget.shortened(text, most)
    assert len(cut) <= most
    assert cut == text or text.startswith(cut.removesuffix(budget.ELLIPSIS))


@pytest.mark.thorough
@settings(max_examples=50)
@given(st.lists(st.integers(0, 400), max_size=30), st.integers(1000, 5000))
def test_as_many_fit_as_can(lengths, most):
    from argsearch.api.mcp.shapes import Found

    answer = Found(fingerprint="f" * 64, question="q", total=3)
    gists = [
        Gist(rank=1, id="i", conclusion="", stance=None, gist="g" * n, source="") for n in lengths
    ]

    def put(of, some):
        return of.model_copy(update={"arguments": some})

    try:
        told, number = budget.fitted(answer, "arguments", gists, most)
    except BudgetTooSmall:
        assert budget.size(put(answer, gists[:1])) > most - 100
        return
    assert len(told.arguments) == number
    assert budget.size(told) <= most
    if number < len(gists):
        assert budget.size(put(answer, gists[: number + 1])) + 80 > most
