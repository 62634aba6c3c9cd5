"""The OpenAPI description: what FastAPI writes of the routes, and what it does not know of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from argsearch.api.http import batch
from argsearch.api.http.schemas import ProblemModel, problem

OPEN = ("/health", "/ready")
"""The paths that ask for no token and count towards no limit."""
UNCHANGED = {"description": "The answer is the one whose ETag was sent in If-None-Match"}
NOT_ALLOWED = problem("No token, or a wrong one")
TOO_MANY = {
    **problem("The client has asked too often"),
    "headers": {
        "Retry-After": {
            "description": "Seconds until it may ask again.",
            "schema": {"type": "integer"},
        }
    },
}


def operation_name(route: APIRoute) -> str:
    """The operationId of a route, from which generated clients make their functions' names."""
    return route.name


class Application(FastAPI):
    """An application whose description names every model that it refers to, and every status."""

    guarded = False
    """Whether it asks for a token."""
    limited = False
    """Whether it answers a client only so often."""

    def openapi(self) -> dict[str, Any]:
        """The description as OpenAPI 3.1, made once."""
        if not self.openapi_schema:
            document = super().openapi()
            parts = document.setdefault("components", {})
            models = parts.setdefault("schemas", {})
            models["ProblemModel"] = ProblemModel.model_json_schema()
            models["SearchBatch"] = batch.schema()
            if self.guarded:
                schemes = {name: {"type": "http", "scheme": name} for name in ("bearer", "basic")}
                parts["securitySchemes"] = schemes
            for path, operation in _operations(document):
                self._complete(path, operation)
        return self.openapi_schema or {}

    def _complete(self, path: str, operation: dict[str, Any]) -> None:
        answers = operation["responses"]
        if path.startswith("/api/") and "requestBody" not in operation:
            answers["304"] = UNCHANGED
        if path in OPEN:
            return
        if self.guarded:
            answers["401"] = NOT_ALLOWED
            operation["security"] = [{"bearer": []}, {"basic": []}]
        if self.limited and path.startswith("/api/"):
            answers["429"] = TOO_MANY


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            yield path, operation
