"""`POST /api/add` and `POST /api/remove` let clients with a token change the served index."""

from __future__ import annotations

import logging
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import orjson
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from argsearch.api.http import problems, schemas
from argsearch.api.http.access import Tokens
from argsearch.api.http.batch import read_body, read_posted
from argsearch.api.http.middleware import FINGERPRINT_HEADER
from argsearch.api.http.problems import Problem
from argsearch.api.serve.changes import SOURCE, add, count, remove
from argsearch.api.serve.live import look_now
from argsearch.indexer.building.changes import identity
from argsearch.indexer.processes import WorkerEnded, Workers
from argsearch.indexer.server.address import is_address
from argsearch.indexer.staging import building_place, scratch_folder

MOST_CHANGE_BYTES = 1 << 24
"""Maximum size of a body in bytes, enough for about 12,000 arguments."""
MOST_IDS = 10_000
"""Maximum number of ids in one request."""
NEXT_CHANGE = 10
"""Seconds to wait before a retry if another change is running."""
_log = logging.getLogger("argsearch")


class ChangeModel(BaseModel):
    """The result of a change; the server uses the changed index within a second or two."""

    added: int
    changed: int = Field(description="Arguments that replaced others with the same id.")
    removed: int
    documents: int = Field(description="Arguments in the index now.")
    fingerprint: str = Field(description="The index's new fingerprint.")


class CountModel(BaseModel):
    """The number of arguments that would be removed; nothing is changed."""

    dry_run: bool
    matched: int = Field(description="Arguments that would be removed.")
    documents: int = Field(description="Arguments in the index.")
    where: list[str] = Field(description="The conditions as parsed, in words.")


_DRY_RUN = "Report how many arguments `where` matches, and remove nothing."


class RemovalModel(BaseModel, extra="forbid"):
    """The arguments to remove, either by their ids or by conditions on columns."""

    ids: list[str] = Field(default=[], max_length=MOST_IDS)
    where: list[str] = Field(default=[], max_length=schemas.MOST_LISTED)
    dry_run: bool = Field(default=False, description=_DRY_RUN)


_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": ChangeModel},
    401: schemas.problem("No token that allows changes to the index"),
    409: schemas.problem("Another change to the index, or a build, is running"),
    413: schemas.problem(f"The body has more than {MOST_CHANGE_BYTES:,} bytes"),
    422: schemas.problem("The body cannot be used; nothing was changed"),
    500: schemas.problem("The index was changed, but some of its old files may remain"),
    503: schemas.problem("The server cannot store the changed index; nothing was changed"),
}
_REMOVED: dict[int | str, dict[str, Any]] = {**_ANSWERS, 200: {"model": ChangeModel | CountModel}}
_DOCUMENTS = {
    "description": "Documents in args.me's format, of any kind that `argsearch add` reads as JSON.",
    "required": True,
    "content": {"application/json": {"schema": {}}, "application/x-ndjson": {"schema": {}}},
}
_REMOVAL = {
    "required": True,
    "content": {"application/json": {"schema": RemovalModel.model_json_schema()}},
}


class Changes:
    """Changes to an index, made one at a time, each in its own process."""

    def __init__(self, index: str, tokens: Sequence[str]) -> None:
        self.index = index if is_address(index) else str(Path(index).absolute())
        self.tokens = Tokens(tokens)
        self._worker: Workers | None = None
        self._stopped = False
        self._lock, self._working = Lock(), Lock()
        self._turn = CapacityLimiter(1)
        self._busy = False

    def router(self) -> APIRouter:
        """Return the routes."""
        routes = APIRouter(tags=["changes"])
        for path, work, body, answers in (
            ("/api/add", self.add, _DOCUMENTS, _ANSWERS),
            ("/api/remove", self.remove, _REMOVAL, _REMOVED),
        ):
            more = {"requestBody": body, "security": [{"bearer": []}]}
            post = routes.post(path, responses=answers, response_model=None, openapi_extra=more)
            post(work)
        return routes

    def stop(self) -> None:
        """Stop a change that is running or about to begin, and wait until it has cleaned up.

        The index is either unchanged or completely changed.
        """
        with self._lock:
            self._stopped = True
            if self._worker is not None:
                self._worker.kill()
        with self._working:
            pass

    async def add(self, request: Request) -> Response:
        """Add arguments to the index; an argument replaces one with the same id."""
        self._check(request)
        body = await read_body(request, MOST_CHANGE_BYTES, "add fewer arguments at once")
        if body.removeprefix(BOM_UTF8).lstrip()[:1] not in (b"{", b"["):
            raise problems.invalid("body", body[:20].decode("latin-1"), "JSON or JSON Lines")
        return await self._change(self._add, body)

    async def remove(
        self, request: Request, dry_run: Annotated[bool, Query(description=_DRY_RUN)] = False
    ) -> Response:
        """Remove arguments from the index, with all of their text.

        With `dry_run=true`, in the address or in the body, only count the matches of `where`.
        """
        self._check(request)
        problems.refuse_repeated(request)
        for name, value in request.query_params.items():
            # A misspelt `dry_run` would remove arguments instead of counting them.
            if name != "dry_run":
                problem = f"there is no parameter {name[:100]}; the only one is dry_run"
                raise problems.invalid(name, value, "dry_run", problem)
        asked = await read_posted(
            request, RemovalModel, "remove fewer arguments at once", MOST_CHANGE_BYTES
        )
        if bool(asked.ids) == bool(asked.where):
            raise problems.invalid("ids", asked.ids, "ids or where", "give either ids or where")
        if dry_run or asked.dry_run:
            return await self._count(asked)
        return await self._change(self._in_a_process, remove, asked.ids, asked.where)

    async def _count(self, asked: RemovalModel) -> Response:
        if not asked.where:
            raise problems.invalid("dry_run", True, "false", "dry_run works only with where")
        found = await to_thread.run_sync(count, self.index, asked.where)
        if refused := found.pop("refused", None):
            raise _refusal(*refused)
        return Response(orjson.dumps(found), media_type="application/json")

    def _check(self, request: Request) -> None:
        """Raise a problem if the client may not change the index, or if another change is running.

        Only a bearer token is accepted: a browser sends a stored password with any request, even
        one from a page of another origin.
        """
        if not self.tokens.accepts(request, basic=False):
            said = "changes need a token; send the header Authorization: Bearer TOKEN"
            raise Problem(401, said, {"WWW-Authenticate": 'Bearer realm="argsearch"'})
        if self._busy:
            raise _another()

    async def _change(self, work: Callable[..., dict[str, Any]], *given: Any) -> Response:
        """Do the work in a thread, and answer with its result."""
        if self._busy:
            raise _another()
        self._busy = True
        try:
            done = await to_thread.run_sync(self._alone, work, *given, limiter=self._turn)
        finally:
            self._busy = False
        refused = done.pop("refused", None)
        if not refused or refused[0] == "left":
            look_now()
        if refused:
            raise _refusal(*refused)
        headers = {FINGERPRINT_HEADER: done["fingerprint"]}
        return Response(orjson.dumps(done), media_type="application/json", headers=headers)

    def _alone(self, work: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
        with self._working:
            return work(*given)

    def _add(self, documents: bytes) -> dict[str, Any]:
        """Add documents from a temporary folder, which is removed even if the process fails."""
        with scratch_folder("argsearch-posted-") as folder:
            (folder / SOURCE).write_bytes(documents)
            return self._in_a_process(add, folder)

    def _in_a_process(self, work: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
        before, worker = identity(self.index), Workers()
        try:
            with self._lock:
                if self._stopped:
                    return {"refused": ("failed", "the server is stopping")}
                self._worker = worker
            return worker.do(work, self.index, *given)
        except WorkerEnded as error:
            if identity(self.index) == before:
                return {"refused": ("failed", str(error))}
            if is_address(self.index):
                return {"refused": ("part", str(error))}
            left = f"old files may be in {building_place(Path(self.index))}: delete that folder"
            return {"refused": ("left", f"{error}; {left}")}
        finally:
            with self._lock:
                self._worker = None
            worker.close()


def _another() -> Problem:
    said = f"another change to the index is running; try again in {NEXT_CHANGE} s"
    return Problem(409, said, {"Retry-After": str(NEXT_CHANGE)}, title="Busy")


def _refusal(kind: str, *said: str) -> Problem:
    """Return the problem for a change that failed or was interrupted."""
    if kind == "busy":
        return _another()
    if kind == "invalid":
        return problems.invalid(*said)
    if kind == "left":
        _log.error("the index was changed, but: %s", *said)
        why = "the index was changed, but some of its old files may remain; see the server's log"
        return Problem(500, why, title="Changed")
    if kind == "part":
        _log.error("the change to the index was interrupted: %s", *said)
        why = "the change was interrupted and may be incomplete; send the same request again"
        return Problem(503, why, title="Unfinished")
    _log.error("the index was not changed: %s", *said)
    return Problem(503, "the index could not be changed; see the server's log")
