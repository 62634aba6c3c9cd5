"""A re-ranker outside of this package: callable, transformer, address; what is wrong in a line."""

from __future__ import annotations

import json
import sys
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.stages import external
from argsearch.engine.stages.external import RerankerFailed
from argsearch.indexer.errors import InvalidParameter

QUESTION = "should zoos be closed"
MODULE = """
def shortest(question, texts):
    assert question == "should zoos be closed"
    return [-len(text) for text in texts]

class Longest:
    made = 0

    def __init__(self):
        Longest.made += 1

    def transform(self, frame):
        assert set(frame["query"]) == {"should zoos be closed"}
        return frame.assign(score=frame["text"].str.len()).iloc[::-1]

def few(question, texts):
    return [1.0]

def odd(question, texts):
    return [float("nan")] * len(texts)

def large(question, texts):
    return [10**400] * len(texts)

number = 7
"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "rerankers_of_a_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    external.made.cache_clear()
    yield
    external.made.cache_clear()
    sys.modules.pop("rerankers_of_a_test", None)


ODD = {
    "/odd": "no",
    "/large": '{"results": [{"index": 1e999, "relevance_score": 1}]}',
    "/deep": "[" * 200_000,
}
"""What is no answer, by address."""


class Answers(BaseHTTPRequestHandler):
    """As hosted re-rankers answer: results in their own order."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        scored = [
            {"index": i, "relevance_score": -len(text)} for i, text in enumerate(asked["documents"])
        ]
        scored.sort(key=lambda one: -one["relevance_score"])
        if self.path.startswith("/slow"):
            self.drip()
            return
        body = {"results": scored[: -1 if self.path == "/short" else None]}
        self.send_response(500 if self.path == "/broken" else 200)
        self.end_headers()
        odd = ODD.get(self.path, json.dumps(body))
        self.wfile.write(odd.encode())

    def drip(self) -> None:
        """A byte now and then, of the head or of the answer, which is none in the end."""
        self.wfile.write(b"HTTP/1.0 200 OK\r\n" + (b"\r\n" if self.path == "/slow" else b"X-"))
        try:
            while not self.server.enough.wait(0.02):
                self.wfile.write(b" ")
        except OSError:  # nobody listens any more
            pass

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        server.enough = threading.Event()
        yield f"http://127.0.0.1:{server.server_port}"
        server.enough.set()
        server.shutdown()
        thread.join()


def by(engine: Engine, model: str):
    overrides = [
        "rerank.stages=['external']", f"rerank.external.model={model}", "rerank.depth=20",
        "rerank.external.seconds=60",
    ]  # fmt: skip
    return engine.search(QUESTION, k=30, config="default", overrides=overrides)


def length(hit) -> int:
    return len(f"{hit.conclusion}\n{hit.text}" if hit.conclusion else hit.text)


def test_a_callable_a_transformer_and_an_address_are_one_socket(engine: Engine, address) -> None:
    plain = engine.search(QUESTION, k=30, config="default")
    called = by(engine, "rerankers_of_a_test:shortest")
    assert sorted(called.hits.ids[:20]) == sorted(plain.hits.ids[:20])
    assert called.hits.ids[20:] == plain.hits.ids[20:]
    lengths = [length(hit) for hit in called[:20]]
    assert lengths == sorted(lengths)
    assert called.hits.scores[:20].tolist() == [-n for n in lengths]
    assert by(engine, address).hits.ids == called.hits.ids
    for _ in range(2):
        turned = by(engine, "rerankers_of_a_test:Longest")
    assert [length(hit) for hit in turned[:20]] == sorted(lengths, reverse=True)
    assert type(external.made("rerankers_of_a_test:Longest")).made == 1  # loaded once
    for hit in (called[0], turned[19]):
        assert hit.explanation.value == hit.score
        assert hit.explanation.find("M").value == hit.score
    assert np.isfinite(turned.hits.scores).all()


@pytest.mark.parametrize("path", ["/short", "/broken", *ODD])
def test_an_address_that_gives_less_is_told(engine: Engine, address, path: str) -> None:
    with pytest.raises(RerankerFailed, match=f"{path} did not re-rank 20 texts") as error:
        by(engine, address + path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("path", ["/slow", "/slow-head"])
def test_the_whole_answer_has_to_be_there_in_time(
    address, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte is in time: only a bound of the whole tells that the answer is not."""
    post = urllib.request.urlopen
    monkeypatch.setattr(urllib.request, "urlopen", lambda one, **_: post(one, timeout=60))
    with pytest.raises(RerankerFailed, match=r"\(TimeoutError: no complete response in 0\.1 s\)$"):
        external.asked(address + path, QUESTION, ["a", "b"], 0.1)


@pytest.mark.parametrize("name", ["few", "odd", "large"])
def test_a_callable_that_gives_less_is_told(engine: Engine, name: str) -> None:
    with pytest.raises(RerankerFailed, match="did not give a finite number for each of 20 texts"):
        by(engine, f"rerankers_of_a_test:{name}")


@pytest.mark.parametrize("model", ["none", "rerankers_of_a_test:number"])
def test_what_is_no_re_ranker_is_refused(engine: Engine, model: str) -> None:
    with pytest.raises(InvalidParameter, match=r"rerank\.external\.model must be MODULE:NAME"):
        by(engine, model)
    for model in ("rerankers_of_a_test:missing", "no_such_module:thing"):
        with pytest.raises(RerankerFailed, match=f"{model} cannot be loaded"):
            by(engine, model)
