"""`POST /api/add` and `POST /api/remove`: who has a token changes the index directory served."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from argsearch.api.http import problems, schemas
from argsearch.api.http.batch import read_body
from argsearch.api.http.middleware import FINGERPRINT
from argsearch.api.http.problems import Problem
from argsearch.api.serve.changes import add, remove
from argsearch.api.serve.live import look_now
from argsearch.indexer.processes import Worker, WorkerEnded

MOST_BYTES = 1 << 24
"""Bytes of one body, some 12,000 arguments."""
MOST_IDS = 10_000
"""Ids of one request."""
NEXT_CHANGE = 10
"""Seconds after which to ask again where another change is running."""
_log = logging.getLogger("argsearch")


class ChangeModel(BaseModel):
    """What a change did; the server answers from the changed index within a second or two."""

    added: int
    changed: int = Field(description="Arguments that took the place of those of the same id.")
    removed: int
    documents: int = Field(description="Arguments of the index now.")
    fingerprint: str = Field(description="The index's new fingerprint.")


class RemovalModel(BaseModel, extra="forbid"):
    """Which arguments to remove: by their ids, or all whose columns are so; one of the two."""

    ids: list[str] = Field(default=[], max_length=MOST_IDS)
    where: list[str] = Field(default=[], max_length=schemas.MOST_LISTED)


_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": ChangeModel},
    401: schemas.problem("No token that may change the index"),
    409: schemas.problem("Another change of the index, or a build, is running"),
    413: schemas.problem(f"The body has more than {MOST_BYTES:,} bytes"),
    422: schemas.problem("The body cannot be used; nothing is changed"),
    503: schemas.problem("The machine cannot hold the changed index; nothing is changed"),
}
_DOCUMENTS = {
    "description": "Documents in args.me's form, of any kind that `argsearch add` reads as JSON.",
    "required": True,
    "content": {"application/json": {"schema": {}}, "application/x-ndjson": {"schema": {}}},
}
_REMOVAL = {
    "required": True,
    "content": {"application/json": {"schema": RemovalModel.model_json_schema()}},
}


class Changes:
    """Changes an index directory, one change at a time, each in a process of its own."""

    def __init__(self, index: str, tokens: Sequence[str]) -> None:
        self.index, self.tokens = Path(index).absolute(), [token.encode() for token in tokens]
        self._worker: Worker | None = None
        self._turn = CapacityLimiter(1)
        self._busy = False

    def router(self) -> APIRouter:
        """Return the routes."""
        routes = APIRouter(tags=["changes"])
        for path, work, body in (
            ("/api/add", self.add, _DOCUMENTS),
            ("/api/remove", self.remove, _REMOVAL),
        ):
            more = {"requestBody": body, "security": [{"bearer": []}]}
            routes.add_api_route(
                path,
                work,
                methods=["POST"],
                responses=_ANSWERS,
                response_model=None,
                openapi_extra=more,
            )
        return routes

    def stop(self) -> None:
        """End a change that is running; the index stays as it was."""
        if self._worker is not None:
            self._worker.kill()

    async def add(self, request: Request) -> Response:
        """Add arguments to the index; one of an id that is there takes the other's place."""
        self._check(request)
        body = await read_body(request, MOST_BYTES, "add fewer arguments at once")
        if body.lstrip()[:1] not in (b"{", b"["):
            raise problems.invalid("body", body[:20].decode("latin-1"), "JSON or JSON Lines")
        return await self._change(partial(add, self.index), body)

    async def remove(self, request: Request) -> Response:
        """Remove arguments from the index; nothing of their texts stays in it."""
        self._check(request)
        body = await read_body(request, MOST_BYTES, "remove fewer arguments at once")
        try:
            asked = RemovalModel.model_validate_json(body)
        except ValueError as error:
            said = f"an object with ids or where ({str(error).splitlines()[-2].strip()})"
            raise problems.invalid("body", body[:20].decode("latin-1"), said) from error
        if bool(asked.ids) == bool(asked.where):
            raise problems.invalid("ids", asked.ids, "ids, or where, one of the two")
        return await self._change(partial(remove, self.index), (asked.ids, asked.where))

    def _check(self, request: Request) -> None:
        """Raise a problem for who may not change the index, or not now.

        A browser sends a password that it knows wherever a page of another origin wants it, so
        only a bearer's token will do.
        """
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        sent = given.strip().encode("utf-8", "replace") if scheme.lower() == "bearer" else b""
        if not any([hmac.compare_digest(sent, token) for token in self.tokens]):  # noqa: C419
            said = "changes need a token: send the header Authorization: Bearer TOKEN"
            raise Problem(401, said, {"WWW-Authenticate": 'Bearer realm="argsearch"'})
        if self._busy:
            raise _another()

    async def _change(self, work: Callable[[Any], dict[str, Any]], given: object) -> Response:
        if self._busy:
            raise _another()
        self._busy = True
        try:
            done = await to_thread.run_sync(self._in_a_process, work, given, limiter=self._turn)
        finally:
            self._busy = False
        if refused := done.pop("refused", None):
            raise _refusal(*refused)
        look_now()
        headers = {FINGERPRINT: done["fingerprint"]}
        return Response(orjson.dumps(done), media_type="application/json", headers=headers)

    def _in_a_process(self, work: Callable[[Any], dict[str, Any]], given: Any) -> dict[str, Any]:
        self._worker = worker = Worker()
        try:
            return worker.do(work, given)
        except WorkerEnded as error:
            return {"refused": ("failed", str(error))}
        finally:
            self._worker = None
            worker.kill()
            worker.close()


def _another() -> Problem:
    said = f"another change of the index is running; ask again in {NEXT_CHANGE} s"
    return Problem(409, said, {"Retry-After": str(NEXT_CHANGE)}, title="Busy")


def _refusal(kind: str, *said: str) -> Problem:
    """The problem of a change that was not made."""
    if kind == "busy":
        return _another()
    if kind == "invalid":
        return problems.invalid(*said)
    _log.error("the index was not changed: %s", *said)
    return Problem(503, "the index could not be changed; the server's log says why")
