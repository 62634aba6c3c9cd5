"""`/challenge`: a form for a text, and what meets its claims, as a page that needs no scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from argsearch.api.http import schemas
from argsearch.api.http.batch import MOST_BYTES, read_body
from argsearch.api.http.challenge import MOST_HITS
from argsearch.api.http.opened import Opened
from argsearch.api.http.pages import Asked, known_index, no_index
from argsearch.api.http.problems import Problem
from argsearch.api.http.turns import in_a_thread
from argsearch.api.templates import page
from argsearch.engine import Engine
from argsearch.engine.alias_follower import again
from argsearch.engine.challenge.challenge import NO_SIDE, Challenge, Finding
from argsearch.engine.challenge.reading import TEXT_READ
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.parameters import ABOUT

_MOST_FIELDS = 16
"""Fields of a form; ours has three."""


class Sent(NamedTuple):
    """The fields of the form; an empty one was left out."""

    text: str = ""
    about: str = ""
    side: str = ""


class Role(NamedTuple):
    """What the arguments of one side are to the text."""

    side: str
    kind: str
    """`against` or `for` it: the colour."""
    title: str
    whole: str


def router() -> APIRouter:
    """Return the route."""
    routes = APIRouter(include_in_schema=False)
    methods = ["GET", "POST"]
    routes.add_api_route("/challenge", challenge_page, methods=methods, response_model=None)
    return routes


async def challenge_page(request: Request, engine: Opened, index: str = "") -> Response:
    """The form; where it was sent, what meets the claims of its text."""
    if not known_index(request, index):
        return no_index(index)
    sent, found, error, status = Sent(), None, "", 200
    headers: Mapping[str, str] = {}
    if request.method == "POST":
        try:
            sent = _read(await read_body(request, MOST_BYTES, "send a shorter text"))
            found = await in_a_thread(engine, MOST_HITS, again(_answered), engine, sent)
        except Problem as problem:
            error, status = str(problem.detail), problem.status_code
            headers = problem.headers or {}
        except InvalidParameter as invalid:
            error, status = f"“{invalid.parameter}” must be {invalid.allowed}", 422
    return HTMLResponse(_page(Asked(index=index), sent, found, error), status, headers)


def _read(body: bytes) -> Sent:
    """The fields of a form as browsers send it, with line feeds alone at the ends of lines."""
    try:
        fields = parse_qs(body.decode(errors="replace"), max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise InvalidParameter("form", "", f"one of at most {_MOST_FIELDS} fields") from None
    given = {name: fields.get(name, [""])[-1].replace("\r\n", "\n") for name in Sent._fields}
    return Sent(**given)


def _answered(engine: Engine, sent: Sent) -> Challenge:
    about = ABOUT.read(sent.about) if sent.about.strip() else None
    return engine.challenge(sent.text, about=about, side=sent.side or None)


def _page(asked: Asked, sent: Sent, found: Challenge | None, error: str) -> str:
    met = [one for one in found.findings if one.passages] if found else []
    return page(
        "challenge.html",
        # links to arguments bring along what they are asked about
        asked=Asked(found.about[: schemas.LONGEST_QUERY] if found else "", asked.index),
        sent=sent,
        found=found,
        error=error,
        longest=TEXT_READ,
        longest_about=ABOUT.high,
        notes=[one for one in found.notes if one != NO_SIDE] if found else [],
        roles=_roles(found) if found else [],
        met=met,
        unmet=found.findings[len(met) :] if found else [],
        pieces=_pieces(sent.text, met),
    )


def _roles(found: Challenge) -> list[Role]:
    """Both sides, what speaks against the author first, where his side is known."""
    if found.side is None or not found.opposite:
        said = {side: f"The side {side} says" for side in ("against", "for")}
        whole = {side: f"{side.capitalize()} it as a whole" for side in said}
        return [Role(side, side, title, whole[side]) for side, title in said.items()]
    return [
        Role(found.opposite, "against", "Against it", "Against your position as a whole"),
        Role(found.side.value, "for", "Supports it", "For your position as a whole"),
    ]


def _pieces(text: str, met: Sequence[Finding]) -> list[tuple[str, int]]:
    """The text in pieces, word for word; of a claim the number of its finding, else 0."""
    pieces, at = list[tuple[str, int]](), 0
    claims = sorted((one.claim.begin, one.claim.end, n) for n, one in enumerate(met, 1))
    for begin, end, number in claims:
        pieces += [(text[at:begin], 0), (text[begin:end], number)]
        at = end
    return [*pieces, (text[at:], 0)]
