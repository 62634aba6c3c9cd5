"""The open engine, as a dependency of the routes that need it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from api.problems import Problem
from engine import Engine


async def engine_of(request: Request) -> Engine:
    """The open engine; a 503 problem before it is open."""
    engine = request.app.state.engine
    if not isinstance(engine, Engine):
        raise Problem(503, "the index is not open yet")
    return engine


Opened = Annotated[Engine, Depends(engine_of)]
