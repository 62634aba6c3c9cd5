"""The API of args.me, version 2, so that its clients can be pointed at this index.

Served are `query`, `page`, `pageSize`, `fields` and `format=json`, with args.me's answer. What
differs: the stance of an argument is towards its conclusion (args.me: towards the query), a missing
conclusion is an empty text, and parameters that only shape args.me's own page (`locale`,
`pageLayout`) have no effect.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from argsearch.api.http import schemas
from argsearch.api.http.opened import Opened
from argsearch.api.http.problems import missing, refuse_repeated
from argsearch.api.http.search import NO_ARGUMENT
from argsearch.api.serialise import Answer, ShownHit
from argsearch.api.serve.logs import now
from argsearch.engine.alias_follower import again
from argsearch.engine.text.snippet import ELLIPSIS
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.explanation import Explanation

SNIPPET = "me.args.argument.Snippet"
"""The type by which args.me annotates the part of a premise that stands for it."""


class Partial(BaseModel):
    """A document of which the parameter `fields` may leave out any member."""

    model_config = ConfigDict(json_schema_extra=lambda schema: schema.pop("required", None))


class AnnotationModel(Partial):
    """A part of a premise's text, in Unicode code points, and what it stands for."""

    type: str
    start: int
    end: int
    source: str


class AnnotatedPremiseModel(Partial, schemas.PremiseModel):
    """One premise, and its best sentence."""

    annotations: list[AnnotationModel]


class ArgsMeArgumentModel(Partial):
    """One argument as args.me answers; a missing conclusion is an empty text."""

    id: str
    conclusion: str
    premises: list[AnnotatedPremiseModel]
    context: dict[str, Any]


class ArgsMeExplanationModel(Partial):
    """A part of a score, and the parts that it follows from."""

    score: float
    name: str
    details: list[ArgsMeExplanationModel]


class ArgsMeHitModel(ArgsMeArgumentModel):
    """One ranked argument as args.me answers."""

    summary: str
    explanation: ArgsMeExplanationModel
    stance: Literal["PRO", "CON"] | None = Field(description="Towards its own conclusion.")


class ArgsMeQueryModel(Partial):
    """What was asked, and when."""

    text: str
    properties: dict[str, Any]
    start: str


class ArgsMeAnswerModel(Partial):
    """The answer to a query, whole: with `fields` only what these name is there."""

    query: ArgsMeQueryModel
    arguments: list[ArgsMeHitModel]
    totalSize: int  # noqa: N815
    resultsBefore: int  # noqa: N815
    retrievalTimeInMilliseconds: int  # noqa: N815


def router() -> APIRouter:
    """The routes under /api/v2."""
    routes = APIRouter(prefix="/api/v2", tags=["args.me"])
    add = partial(routes.add_api_route, response_model=None)
    many = schemas.answers(ArgsMeAnswerModel)
    add("/arguments", arguments, responses=many, name="argsme_arguments")
    one = schemas.answers(ArgsMeArgumentModel) | NO_ARGUMENT
    add("/arguments/{id:path}", argument, responses=one, name="argsme_argument")
    return routes


@again
def arguments(
    request: Request, engine: Opened, query: Annotated[schemas.ArgsMeQuery, Query()]
) -> Response:
    """Arguments for a query in args.me's form."""
    refuse_repeated(request)
    started = now()
    before = (query.page - 1) * query.pageSize
    results = engine.search(query.query, k=query.pageSize, offset=before)
    answer = Answer(engine, results, explain=True)
    document = {
        "query": {"text": query.query, "properties": {}, "start": started},
        "arguments": [_hit(shown) for shown in answer.hits],
        "totalSize": results.total,
        "resultsBefore": before,
        "retrievalTimeInMilliseconds": round(results.milliseconds),
    }
    wanted = [name.strip() for name in query.fields.split(",") if name.strip()]
    return _json(_only(document, wanted) if wanted else document)


def argument(engine: Opened, id: schemas.Id) -> Response:
    """One argument in args.me's form."""
    found = engine.argument(id)
    if found is None:
        raise missing(id)
    return _json(_argument(found))


def _json(document: Any) -> Response:
    return Response(orjson.dumps(document), media_type="application/json")


def _argument(argument: Argument) -> dict[str, Any]:
    document = argument.to_json()
    document["conclusion"] = argument.conclusion or ""
    for premise in document["premises"]:
        premise["annotations"] = []
    return document


def _hit(shown: ShownHit) -> dict[str, Any]:
    document = _argument(shown.argument)
    text = shown.sentence.text.strip(ELLIPSIS)
    for premise in document["premises"]:
        begin = premise["text"].find(text) if text else -1
        if begin >= 0:
            place = {"type": SNIPPET, "start": begin, "end": begin + len(text)}
            premise["annotations"].append({**place, "source": "argsearch"})
            break
    stance = shown.argument.stance
    return {
        **document,
        "summary": shown.sentence.text,
        "explanation": _explanation(shown.hit.explanation),
        "stance": stance and stance.value,
    }


def _explanation(node: Explanation) -> dict[str, Any]:
    return {
        "score": node.value,
        "name": node.description,
        "details": [_explanation(detail) for detail in node.details],
    }


def _only(value: Any, wanted: list[str]) -> Any:
    """Return the parts of a document that dotted names ask for; lists are passed through."""
    if isinstance(value, list):
        return [_only(item, wanted) for item in value]
    if not isinstance(value, dict) or "" in wanted:
        return value
    groups: dict[str, list[str]] = {}
    for name in wanted:
        key, _, rest = name.partition(".")
        groups.setdefault(key, []).append(rest)
    return {key: _only(value[key], inner) for key, inner in groups.items() if key in value}
