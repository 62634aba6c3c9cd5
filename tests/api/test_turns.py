"""Large answers take turns: brief ones do not wait for them, and too many at once are refused."""

from __future__ import annotations

import threading
from functools import partial

import anyio
import anyio.lowlevel
import orjson
import pytest
from anyio import CapacityLimiter

from argsearch.api.http import turns
from argsearch.api.http.problems import Problem
from argsearch.api.http.turns import MANY_HITS, THREADS, Turns
from argsearch.api.serialise import Answer
from argsearch.engine.text import gist
from argsearch.engine.text.snippet import Snippet
from tests.processes import in_a_thread


def test_so_many_work_so_many_wait_and_one_more_is_refused(monkeypatch) -> None:
    given_back, done, at_work = [], [], [0, 0]
    begin, both = threading.Event(), threading.Barrier(2)
    monkeypatch.setattr(turns, "give_back", lambda: given_back.append(len(done)))

    counting = threading.Lock()

    def work(number: int) -> None:
        with counting:
            at_work[0] += 1
            at_work[1] = max(at_work)
        assert begin.wait(60)
        if number < 2:
            both.wait(60)
        with counting:
            at_work[0] -= 1
        done.append(number)

    async def all_at_once() -> None:
        large = Turns(at_once=2, waiting=3)
        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(large.take, work, number)
            await anyio.lowlevel.checkpoint()  # each has begun, none has a thread yet
            with pytest.raises(Problem) as refused:
                await large.take(work, 5)
            begin.set()
        assert refused.value.status_code == 503
        assert refused.value.headers == {"Retry-After": str(turns.AGAIN)}
        await large.take(work, 6)

    in_a_thread(partial(anyio.run, all_at_once))
    assert sorted(done) == [0, 1, 2, 3, 4, 6]
    assert at_work == [0, 2]
    assert given_back, "memory goes back when nobody waits"
    assert given_back[0] >= 3, "not while others wait"


@pytest.mark.parametrize(
    ("asked", "large"),
    [
        ({"params": {"q": "zoos", "k": MANY_HITS + 1}}, True),
        ({"params": {"q": "zoos", "k": MANY_HITS + 1, "format": "csv"}}, True),
        ({"params": {"q": "zoos", "k": MANY_HITS, "explain": True}}, False),
        ({"params": {"q": "zoos"}}, False),
        ({"json": {"questions": ["zoos", "uniforms"], "k": MANY_HITS // 2 + 1}}, True),
        ({"json": {"questions": ["zoos", "uniforms"], "k": MANY_HITS // 2}}, False),
    ],
)
def test_what_is_large_is_refused_when_too_many_wait(client, monkeypatch, asked, large) -> None:
    monkeypatch.setattr(turns, "large_answers", Turns(waiting=-1))
    method = "POST" if "json" in asked else "GET"
    answer = client.request(method, "/api/search", **asked)
    assert answer.status_code == (503 if large else 200)
    assert answer.headers.get("retry-after") == (str(turns.AGAIN) if large else None)
    assert answer.headers["x-index-fingerprint"]
    assert not large or answer.json()["title"] == "Busy"


def test_an_answer_does_not_wait_for_the_gists_of_another(engine, monkeypatch) -> None:
    slow, begun = threading.Event(), threading.Event()

    def gists(question: str, *_: object, **__: object) -> list[Snippet]:
        if question == "zoos":
            begun.set()
            assert slow.wait(60)
        return [Snippet("")] * 100

    monkeypatch.setattr(gist, "gists", gists)
    large, brief = (Answer(engine, engine.search(q, k=20)) for q in ("zoos", "uniforms"))
    waiting = threading.Thread(target=large.to_json)
    other = threading.Thread(target=brief.to_json, daemon=True)
    waiting.start()
    try:
        assert begun.wait(60)
        other.start()
        other.join(60)
        assert not other.is_alive()
    finally:
        slow.set()
        waiting.join()


@pytest.mark.parametrize("asked", [{}, {"side": "both"}, {"sides": True, "facets": ["stance"]}])
def test_an_answer_is_the_same_json_written_whole_or_hit_by_hit(engine, asked) -> None:
    for question in ("zoos and uniforms", "nothing of this"):
        answer = Answer(engine, engine.search(question, **asked), explain=True)
        assert answer.to_json() == orjson.dumps(answer.to_dict())


def test_few_threads_answer_from_an_index_directory(engine, monkeypatch) -> None:
    begin = threading.Event()

    async def all_at_once() -> None:
        few = CapacityLimiter(THREADS)
        monkeypatch.setattr(turns, "few_threads", few)
        async with anyio.create_task_group() as group:
            for _ in range(THREADS + 2):
                group.start_soon(turns.in_a_thread, engine, MANY_HITS, begin.wait, 60)
            await anyio.wait_all_tasks_blocked()
            assert few.statistics().tasks_waiting == 2
            begin.set()

    in_a_thread(partial(anyio.run, all_at_once))
