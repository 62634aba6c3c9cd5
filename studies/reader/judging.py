"""A page on this machine to judge the items with keys; every label is written at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

from studies.reader.labels import Labels, WrongLabel, append, read
from studies.reader.lists import Item, Lists

PAGE = Path(__file__).with_name("page.html")
HOST = "127.0.0.1"


class Judging:
    """What is to be judged next, and the file that the labels go to."""

    def __init__(self, lists: Lists, path: Path) -> None:
        self.lists, self.path = lists, path
        self.labels: Labels = read(path, lists)
        self._lock = Lock()

    def next(self) -> dict[str, Any]:
        """What waits first, and how much is done; without `item` when all is judged."""
        done = {"done": len(self.labels.items), "all": len(self.lists.items)}
        for question in self.lists.questions:
            for waiting in self.labels.waiting(self.lists, question.id):
                asked = {"question": question.text, "claim": self.lists.claims[question.id]}
                return {**done, **asked, **_seen(waiting)}
        return done

    def item(self, id: str) -> dict[str, Any]:
        """One item, to be judged again; raises KeyError for an unknown one."""
        item = {item.id: item for item in self.lists.items}[id]
        (text,) = (q.text for q in self.lists.questions if q.id == item.question)
        done = {"done": len(self.labels.items), "all": len(self.lists.items)}
        return {**done, "question": text, "claim": self.lists.claims[item.question], **_seen(item)}

    def label(self, row: dict[str, str]) -> None:
        """Take a label and write it; raises WrongLabel."""
        with self._lock:
            self.labels.add(row, self.lists)
            append(self.path, row)


def _seen(waiting: Item | str) -> dict[str, Any]:
    """What a judge sees: never a system, a rank or a score."""
    if isinstance(waiting, str):
        return {"item": waiting, "side": waiting.rpartition("/")[2]}
    return {
        "item": waiting.id,
        "side": waiting.side,
        "stance": waiting.stance,
        "conclusion": waiting.conclusion,
        "gist": waiting.gist,
        "text": waiting.text,
        "words": waiting.words,
    }


class Handler(BaseHTTPRequestHandler):
    """The page, what is next, and where labels are sent to."""

    def __init__(self, judging: Judging, *args: Any) -> None:
        self.judging = judging
        super().__init__(*args)

    def do_GET(self) -> None:
        if self.path == "/":
            self._answer(PAGE.read_bytes(), "text/html; charset=utf-8")
        elif self.path == "/next":
            self._json(self.judging.next())
        elif self.path.startswith("/items/"):
            self._tried(lambda: self.judging.item(self.path.removeprefix("/items/")))
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        if self.path != "/labels" or self.headers.get("Content-Type") != "application/json":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._tried(lambda: self._labelled(json.loads(body)))

    def _labelled(self, row: dict[str, str]) -> dict[str, Any]:
        self.judging.label(row)
        return self.judging.next()

    def _tried(self, act: Callable[[], dict[str, Any]]) -> None:
        try:
            self._json(act())
        except (WrongLabel, KeyError, ValueError) as error:
            self.send_error(HTTPStatus.BAD_REQUEST, explain=str(error))

    def _json(self, value: dict[str, Any]) -> None:
        self._answer(json.dumps(value).encode(), "application/json")

    def _answer(self, body: bytes, media: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal shows the address."""


def server(lists: Lists, path: Path, port: int = 0) -> ThreadingHTTPServer:
    """The page's server, bound to this machine alone; port 0 is any free one."""
    return ThreadingHTTPServer((HOST, port), partial(Handler, Judging(lists, path)))


def serve(lists: Lists, path: Path, port: int = 0) -> None:
    """Serve the page until Ctrl-C."""
    with server(lists, path, port) as running:
        print(f"http://{HOST}:{running.server_port}  (Ctrl-C ends it; labels go to {path})")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print()
