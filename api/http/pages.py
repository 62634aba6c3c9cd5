"""HTML pages: the search page, a page for each argument, and the API's documentation.

Argument and documentation pages use templates in web/, which escape text, and need no scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse

from argsearch.api.cards import stance_phrase
from argsearch.api.http import problems, schemas
from argsearch.api.http.opened import Opened
from argsearch.api.http.prefix import asked_path, describe, prefix_of
from argsearch.api.serialise import Answer, ShownHit
from argsearch.api.templates import WEB, page
from argsearch.engine import Engine
from argsearch.engine.overview.known import predicted_quality
from argsearch.engine.text.citation import bibtex, cite, markdown_source
from argsearch.engine.text.paragraphs import paragraphs
from argsearch.engine.text.snippet import mark, word_weights
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import InvalidParameter, short
from argsearch.indexer.format.parts import PartMissing

PAGE_FILES = {
    "/": ("index.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/favicon.svg": ("favicon.svg", "image/svg+xml"),
    **{f"/{script.name}": (script.name, "text/javascript") for script in WEB.glob("*.js")},
}
"""The search page's files by URL path: file name and media type."""
COUNTERS = 5
"""Number of counter-arguments on an argument's page."""
COPIES = 20
"""Maximum number of near-duplicates linked on an argument's page."""
_EXAMPLE = '{"questions": ["should zoos be abolished"], "k": 3}'
"""Example of a batch's body, for the documentation."""
Pieces = Sequence[tuple[str, bool]]
"""The pieces of a text, each with a flag that is True for a word of the question."""


def router(description: Callable[[], dict[str, Any]]) -> APIRouter:
    """Return the routes. `description` is called for the OpenAPI description that /docs shows."""
    routes = APIRouter(include_in_schema=False)
    add = partial(routes.add_api_route, response_model=None)
    for path, (name, media) in PAGE_FILES.items():
        add(path, _sender(WEB / name, media))
    add("/arguments/{id:path}", page_of_one)
    routes.add_route(
        "/docs", lambda request: HTMLResponse(documentation(description(), prefix_of(request)))
    )
    routes.add_route(
        "/llms.txt",
        lambda request: PlainTextResponse(
            page("llms.txt", api=description(), root=prefix_of(request))
        ),
    )
    routes.add_route("/openapi.json", lambda request: describe(request, description()))
    return routes


def _sender(path: Path, media: str) -> Callable[[Request, str], Response]:
    def send(request: Request, index: str = "") -> Response:
        """Return the file, which is read for each request. The page reports an unknown index."""
        status = 200 if known_index(request, index) else 404
        headers = {"Cache-Control": "no-cache"}
        if media == "text/html":
            return HTMLResponse(page(path.name, root=prefix_of(request)), status, headers)
        return FileResponse(path, status, headers, media)

    return send


def known_index(request: Request, index: str) -> bool:
    """Return True if the server has an index with this name; "" means the first index."""
    return index in ("", *request.app.state.indexes)


def no_index(request: Request, index: str) -> Response:
    """Return the page for an unknown index name."""
    asked = Asked(root=prefix_of(request))
    return HTMLResponse(page("missing.html", id="", path="", asked=asked, index=short(index)), 404)


def page_of_one(
    request: Request, engine: Opened, id: schemas.Id, q: str = "", index: str = ""
) -> Response:
    """Return the page of an argument, with the words of the question `q` marked."""
    # Only the question's length is checked, since a page also opens without a question.
    schemas.Q_OR_NONE.read(q)
    if not known_index(request, index):
        return no_index(request, index)
    asked = Asked(q, index, prefix_of(request))
    found = engine.argument(id)
    if found is None:
        return HTMLResponse(page("missing.html", id=short(id), path="", asked=asked, index=""), 404)
    return HTMLResponse(argument_page(engine, found, asked))


def nowhere(request: Request, error: Exception) -> Response:
    """Return a 404 for an unknown path: a page for browsers, a problem document for programs."""
    browser = "text/html" in request.headers.get("accept", "")
    # Under /api, every client is a program that reads JSON.
    if request.scope["path"].startswith("/api/") or not browser:
        return problems.answer(request, error)
    asked, path = Asked(root=prefix_of(request)), short(asked_path(request))
    content = page("missing.html", id="", path=path, asked=asked, index="")
    # A cache must not send the page to a program.
    return HTMLResponse(content, 404, {"Vary": "Accept"})


@dataclass(frozen=True)
class Asked:
    """The parts of a page's address other than the argument's id."""

    question: str = ""
    index: str = ""
    """Name of the index if the server has several; "" is the first index."""
    root: str = ""
    """Path prefix of the server behind a proxy, such as /args."""

    def query(self, question: bool = True) -> str:
        """Return the parameters as a query string, with or without the question."""
        given = {"index": self.index, "q": self.question if question else ""}
        kept = {name: value for name, value in given.items() if value.strip()}
        return f"?{urlencode(kept)}" if kept else ""

    def page(self, id: str) -> str:
        """Return the address of an argument's page. The id may contain any character."""
        return f"{self.root}/arguments/{quote(id, safe='')}{self.query()}"

    def json(self, id: str) -> str:
        """Return the address of the argument as JSON."""
        name = f"{quote(self.index, safe='')}/" if self.index else ""
        return f"{self.root}/api/{name}arguments/{quote(id, safe='')}"


def documentation(openapi: Mapping[str, Any], root: str = "") -> str:
    """Return the API's documentation: every path with its parameters and answers."""
    return page("docs.html", api=openapi, example=_EXAMPLE, root=root)


def argument_page(engine: Engine, argument: Argument, asked: Asked) -> str:
    """Return an argument's page, with the question's words marked in the text, and its source."""
    words: Mapping[str, float] = {}
    if asked.question.strip():
        words = word_weights(asked.question, engine.backend, engine.config(None).retrieval)
    parts = [part for one in argument.premises for part in paragraphs(one.text)]
    return page(
        "argument.html",
        asked=asked,
        argument=argument,
        stance_phrase=stance_phrase if engine.known.two_sided else None,
        conclusion=_marked(argument.conclusion or "", words),
        paragraphs=[_marked(part, words) for part in parts],
        source=cite(argument),
        quality=predicted_quality(engine.backend, argument.id),
        copies=_copies(engine, argument),
        most_copies=COPIES,
        counters=_counters(engine, argument),
        bibtex=bibtex(argument),
        markdown=markdown_source(argument),
    )


def _marked(text: str, words: Mapping[str, float]) -> Pieces:
    return list(mark(text, words).telling().parts()) if words else [(text, False)]


def _copies(engine: Engine, argument: Argument) -> list[str]:
    try:
        return engine.backend.near_duplicates(argument.id)
    except PartMissing:
        return []


def _counters(engine: Engine, argument: Argument) -> Sequence[ShownHit] | None:
    """Return the counter-arguments, or None if the index lacks the part `counter`."""
    try:
        return Answer(engine, engine.counter(argument, COUNTERS)).hits
    except PartMissing:
        return None
    # The index knows no word of the argument, so nothing can counter it.
    except InvalidParameter:
        return ()
