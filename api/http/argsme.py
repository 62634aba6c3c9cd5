"""The API of args.me, version 2, so that its clients can use this index.

Supports `query`, `page`, `pageSize`, `fields` and `format=json`. Answers have the format of
args.me. Unlike on args.me, an argument's stance refers to its conclusion (not to the query), and a
missing conclusion is an empty text. The parameters for args.me's own page (`locale`, `pageLayout`)
have no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated, Any

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
from argsearch.engine.results.quotes import spans_in
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.ranking.explanation import Explanation

SNIPPET = "me.args.argument.Snippet"
"""args.me's annotation type for the part of a premise that represents it."""


class Partial(BaseModel):
    """A document from which the parameter `fields` may omit any member."""

    model_config = ConfigDict(json_schema_extra=lambda schema: schema.pop("required", None))


class AnnotationModel(Partial):
    """A part of a premise's text, in Unicode code points, with its type."""

    type: str
    start: int
    end: int
    source: str


class AnnotatedPremiseModel(Partial, schemas.PremiseModel):
    """A premise, and the parts of it in the summary."""

    annotations: list[AnnotationModel]


class ArgsMeArgumentModel(Partial):
    """An argument in args.me's format; a missing conclusion is an empty text."""

    id: str
    conclusion: str
    premises: list[AnnotatedPremiseModel]
    context: dict[str, Any]


class ArgsMeExplanationModel(Partial):
    """A part of a score, and the parts that it is computed from."""

    score: float
    name: str
    details: list[ArgsMeExplanationModel]


class ArgsMeHitModel(ArgsMeArgumentModel):
    """A ranked argument in args.me's format."""

    summary: str
    explanation: ArgsMeExplanationModel
    stance: Stance | None = Field(description="Stance on its own conclusion.")


class ArgsMeQueryModel(Partial):
    """The query and its start time."""

    text: str
    properties: dict[str, Any]
    start: str


class ArgsMeAnswerModel(Partial):
    """The complete answer to a query; `fields` may limit it to some members."""

    query: ArgsMeQueryModel
    arguments: list[ArgsMeHitModel]
    totalSize: int  # noqa: N815
    resultsBefore: int  # noqa: N815
    retrievalTimeInMilliseconds: int  # noqa: N815


routes = APIRouter(prefix="/api/v2", tags=["args.me"])


@routes.get(
    "/arguments",
    responses=schemas.answers(ArgsMeAnswerModel),
    response_model=None,
    name="argsme_arguments",
)
@again
def arguments(
    request: Request, engine: Opened, query: Annotated[schemas.ArgsMeQuery, Query()]
) -> Response:
    """Return arguments for a query in args.me's format."""
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


@routes.get(
    "/arguments/{id:path}",
    responses=schemas.answers(ArgsMeArgumentModel) | NO_ARGUMENT,
    response_model=None,
    name="argsme_argument",
)
def argument(engine: Opened, id: schemas.Id) -> Response:
    """Return an argument in args.me's format."""
    found = engine.argument(id)
    if found is None:
        raise missing(id)
    return _json(_argument(found))


def _json(document: Any) -> Response:
    return Response(orjson.dumps(document), media_type="application/json")


def _argument(argument: Argument) -> dict[str, Any]:
    document = argument.to_json()
    document["conclusion"] = argument.conclusion or ""
    # In args.me, a premise has this member even without annotations.
    for premise in document["premises"]:
        premise["annotations"] = []
    return document


def places(summary: str, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Return the spans [begin, end) of each text that a summary quotes, in the summary's order.

    White space in the summary matches any white space, and the boundary between two texts.
    """
    found = [list[tuple[int, int]]() for _ in texts]
    ends = list(accumulate(len(text) + 1 for text in texts))
    for from_, to in spans_in(summary, "\n".join(texts)):
        for spans, text, end in zip(found, texts, ends, strict=True):
            first = end - 1 - len(text)
            begin, stop = max(from_ - first, 0), min(to - first, len(text))
            if begin < stop:
                spans.append((begin, stop))
    return found


def _hit(shown: ShownHit) -> dict[str, Any]:
    document = _argument(shown.argument)
    premises = document["premises"]
    taken = places(shown.sentence.text, [premise["text"] for premise in premises])
    for premise, spans in zip(premises, taken, strict=True):
        premise["annotations"] = [
            {"type": SNIPPET, "start": begin, "end": end, "source": "argsearch"}
            for begin, end in spans
        ]
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
    """Return the parts of a document that dotted names select; lists are filtered item by item."""
    if isinstance(value, list):
        return [_only(item, wanted) for item in value]
    # An empty name selects the whole member, even if other names select parts of it.
    if not isinstance(value, dict) or "" in wanted:
        return value
    groups: dict[str, list[str]] = {}
    for name in wanted:
        key, _, rest = name.partition(".")
        groups.setdefault(key, []).append(rest)
    return {key: _only(value[key], inner) for key, inner in groups.items() if key in value}
