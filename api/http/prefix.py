"""Path prefixes: a proxy may expose the server under a path such as /args."""

from __future__ import annotations

import os
import re
from typing import Any

import orjson
from fastapi import Request, Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from argsearch.indexer.errors import InvalidParameter

FORWARDED_PREFIX = "X-Forwarded-Prefix"
LONGEST_PREFIX = 200
OWN_WORDS = frozenset(
    ("api", "arguments", "challenge", "docs", "health", "mcp", "metrics", "ready")
)
"""First segments of our own paths. A prefix must not begin with one of them."""
_PREFIX = re.compile(r"/|((?:/(?!\.\.?(?:/|\Z))[A-Za-z0-9._~-]+)+)/?")
_ALLOWED = (
    f"a path such as /args of letters, digits, '.', '_', '~' and '-', up to {LONGEST_PREFIX} "
    f"characters, that does not begin with {', '.join(sorted(f'/{word}' for word in OWN_WORDS))}"
)


def read_prefix(given: str) -> str | None:
    """Return a prefix without its trailing slash, or None if it is not a plain path."""
    found = _PREFIX.fullmatch(given) if len(given) <= LONGEST_PREFIX else None
    if found is None or given.split("/")[1] in OWN_WORDS:
        return None
    return found[1] or ""


def read_root_path(given: str | None) -> str | None:
    """Return the prefix given by `--root-path`. Raise InvalidParameter if it cannot be used."""
    if given is None:
        return None
    if (read := read_prefix(given)) is None:
        raise InvalidParameter("--root-path", given, _ALLOWED)
    return read


def _has(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")


class Behind:
    """Application that takes client, scheme and path prefix from a trusted proxy's headers.

    The variable FORWARDED_ALLOW_IPS lists the addresses of trusted proxies (127.0.0.1 and ::1 if
    unset). A given `root_path` overrides the header. The proxy may remove the prefix or keep it.
    """

    def __init__(self, app: ASGIApp, root_path: str | None = None) -> None:
        trusted = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1,::1")
        self._app: Any = ProxyHeadersMiddleware(app, trusted)  # type: ignore[arg-type]
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            told = self._root_path is None
            scope = {**scope, "varies": told}
            if prefix := self._forwarded(scope) if told else self._root_path:
                path = scope["path"]
                # In ASGI, the path includes the prefix, whether or not the proxy has removed it.
                path = path if _has(path, prefix) else prefix + path
                scope |= {"root_path": prefix, "path": path}
        await self._app(scope, receive, send)

    def _forwarded(self, scope: Scope) -> str | None:
        """Return the prefix that a trusted proxy sends, or None if it is missing or invalid."""
        sent = Headers(scope=scope).getlist(FORWARDED_PREFIX)
        client = scope.get("client") or ("",)
        trusted = len(sent) == 1 and client[0] in self._app.trusted_hosts
        return read_prefix(sent[0]) if trusted else None


def inside(scope: Scope) -> Scope:
    """Remove the prefix from a request's path, and store it under the key `prefix`."""
    prefix = scope.get("root_path", "")
    if scope["type"] != "http" or not prefix:
        return scope
    path = scope["path"]
    path = path.removeprefix(prefix) if _has(path, prefix) else path
    return {**scope, "root_path": "", "prefix": prefix, "path": path or "/"}


def prefix_of(request: Request) -> str:
    """Return the path prefix for all addresses in the answer to a request; may be empty."""
    prefix: str = request.scope.get("prefix", "")
    return prefix


def asked_path(request: Request) -> str:
    """Return the path that the client requested."""
    return prefix_of(request) + (request.scope.get("asked_path") or request.url.path)


def describe(request: Request, document: dict[str, Any]) -> Response:
    """Return an OpenAPI description as a response. Its paths are relative to the prefix."""
    if prefix := prefix_of(request):
        document = {**document, "servers": [{"url": prefix}]}
    return Response(orjson.dumps(document), media_type="application/json")
