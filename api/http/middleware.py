"""What surrounds every request: HEAD, security headers, the fingerprint, counts and latencies."""

from __future__ import annotations

import os
import time

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from argsearch.api.serve.logs import Log, request_id

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
FINGERPRINT = "X-Index-Fingerprint"
"""The header of every answer under /api: which index has answered."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds of the latency histogram."""

_registry = CollectorRegistry()
_requests = Counter(
    "argsearch_http_requests",
    "Requests answered",
    ("method", "route", "status"),
    registry=_registry,
)
_latency = Histogram(
    "argsearch_http_request_seconds",
    "Seconds from a request to the end of its answer",
    ("route",),
    buckets=SECONDS,
    registry=_registry,
)


_RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_RAW_FINGERPRINT = FINGERPRINT.lower().encode()


def add_headers(scope: Scope, headers: list[tuple[bytes, bytes]]) -> None:
    """Add to the list of an answer's headers (names in lower case) those that it lacks.

    They are HEADERS, the request's id and, under /api, the fingerprint of the index that answers.
    """
    present = {name for name, _ in headers}
    headers.extend(header for header in _RAW if header[0] not in present)
    if "request_id" in scope:
        headers.append((b"x-request-id", scope["request_id"].encode()))
    engine = scope.get("engine") or getattr(scope["app"].state, "engine", None)
    if engine and scope["path"].startswith("/api/") and _RAW_FINGERPRINT not in present:
        headers.append((_RAW_FINGERPRINT, engine.info.fingerprint.encode()))


class Heads:
    """Answers HEAD wherever GET is answered: the same headers, no content."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_content(message: Message) -> None:
            """Send the message without what GET would answer."""
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        inner = {**scope, "method": "GET"}
        try:
            await self.app(inner, receive, without_content)
        finally:
            scope["route"], scope["engine"] = inner.get("route"), inner.get("engine")


class SecurityHeaders:
    """Adds `add_headers` to every answer: no foreign or inline script can run on the page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def with_headers(message: Message) -> None:
            """Send the message; its headers are complete then."""
            if message["type"] == "http.response.start":
                add_headers(scope, message["headers"])
                if message["status"] == 200 and "tag" in scope:
                    message["headers"].append((b"etag", scope["tag"].encode()))
                    message["headers"].append((b"cache-control", b"no-cache"))
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


class Metrics:
    """Names each request, counts it and its latency by route, and logs it where that is asked for.

    A caller's own words are never counted.
    """

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self.app, self.log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500
        scope["request_id"] = request_id(scope)
        begun = time.perf_counter()

        async def noting(message: Message) -> None:
            """Send the message, and remember its status."""
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in METHODS else "other"
            seconds = time.perf_counter() - begun
            _requests.labels(method, route, str(status)).inc()
            _latency.labels(route).observe(seconds)
            if self.log.requests:
                self.log.request(scope, status, seconds)


def exposition() -> tuple[bytes, str]:
    """The metrics (of all worker processes, where there are several) and their media type."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from prometheus_client.multiprocess import MultiProcessCollector

        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return generate_latest(shared), CONTENT_TYPE_LATEST
    return generate_latest(_registry), CONTENT_TYPE_LATEST
