"""`/challenge`: a script-free form that takes a text and shows arguments against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from argsearch.api.http import schemas
from argsearch.api.http.batch import MOST_BYTES, read_body
from argsearch.api.http.opened import Opened
from argsearch.api.http.pages import Asked, known_index, no_index
from argsearch.api.http.prefix import prefix_of
from argsearch.api.http.problems import Problem
from argsearch.api.http.quotes import TEXT_HITS
from argsearch.api.http.turns import in_a_thread
from argsearch.api.quotes import counted
from argsearch.api.templates import page
from argsearch.engine import Engine
from argsearch.engine.alias_follower import again
from argsearch.engine.challenge.challenge import NO_SIDE, NO_SUBJECT, Challenge
from argsearch.engine.challenge.reading import TEXT_READ
from argsearch.engine.parameters import ABOUT
from argsearch.indexer.errors import InvalidParameter

OPTION_NOTES = (NO_SIDE, NO_SUBJECT)
"""Notes that name command-line options. The page shows its own wording instead."""
_MOST_FIELDS = 16
"""Maximum number of form fields. Our form has three."""


class Sent(NamedTuple):
    """The fields of the form. A missing field is empty."""

    text: str = ""
    about: str = ""
    side: str = ""


routes = APIRouter(include_in_schema=False)


@routes.api_route("/challenge", methods=["GET", "POST"], response_model=None)
async def challenge_page(request: Request, engine: Opened, index: str = "") -> Response:
    """Return the form and, if it was sent, arguments against and for the text."""
    if not known_index(request, index):
        return no_index(request, index)
    sent, found, error, status = Sent(), None, "", 200
    asked = Asked("", index, prefix_of(request))
    headers: Mapping[str, str] = {}
    if request.method == "POST":
        try:
            sent = _read(await read_body(request, MOST_BYTES, "send a shorter text"))
            found = await in_a_thread(engine, TEXT_HITS, again(_answered), engine, sent)
        except Problem as problem:
            error, status = str(problem.detail), problem.status_code
            headers = problem.headers or {}
        except InvalidParameter as invalid:
            error, status = f"“{invalid.parameter}” must be {invalid.allowed}", 422
    return HTMLResponse(_page(asked, sent, found, error), status, headers)


def _read(body: bytes) -> Sent:
    """Return the fields of a form sent by a browser, with LF line ends."""
    try:
        fields = parse_qs(body.decode(errors="replace"), max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise InvalidParameter("form", "", f"a form with at most {_MOST_FIELDS} fields") from None
    # Forms use CR LF line ends, so positions would differ from those in a file.
    given = {name: fields.get(name, [""])[-1].replace("\r\n", "\n") for name in Sent._fields}
    return Sent(**given)


def _answered(engine: Engine, sent: Sent) -> Challenge:
    # A browser also sends empty fields, so an empty claim means that no claim was given.
    about = ABOUT.read(sent.about) if sent.about.strip() else None
    return engine.challenge(sent.text, about=about, side=sent.side or None)


def _page(asked: Asked, sent: Sent, found: Challenge | None, error: str) -> str:
    return page(
        "challenge.html",
        # Links to arguments carry the subject as their question.
        asked=replace(asked, question=found.about[: schemas.LONGEST_QUERY] if found else ""),
        sent=sent,
        found=found,
        error=error,
        longest=TEXT_READ,
        longest_about=ABOUT.high,
        notes=[one for one in found.notes if one not in OPTION_NOTES] if found else [],
        unknown=found is not None and NO_SUBJECT in found.notes,
        kinds=_kinds(found) if found else {},
        counted=counted,
    )


def _kinds(found: Challenge) -> dict[str, str]:
    """Return the colour of each side: the author's side is `for` if it is known."""
    if found.side is None or not found.opposite:
        return {"for": "for", "against": "against"}
    return {found.opposite: "against", found.side.value: "for"}
