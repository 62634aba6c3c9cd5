"""Middleware for every request: HEAD, security headers, fingerprint, counts and latencies."""

from __future__ import annotations

import os
import re
import time
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from argsearch.api.serve.logs import Log

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
FINGERPRINT_HEADER = "X-Index-Fingerprint"
"""Header of every response under /api, with the fingerprint of the index."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds of the latency histogram, in seconds."""

_registry = CollectorRegistry()
_requests = Counter(
    "argsearch_http_requests",
    "Requests answered",
    ("method", "route", "status"),
    registry=_registry,
)
_latency = Histogram(
    "argsearch_http_request_seconds",
    "Seconds from a request to the end of its response",
    ("route",),
    buckets=SECONDS,
    registry=_registry,
)


_SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]{0,63}")
_RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_RAW_FINGERPRINT = FINGERPRINT_HEADER.lower().encode()


def request_id(scope: Scope) -> str:
    """Return the X-Request-ID that was sent if it has at most 64 plain characters, or a new id."""
    given = Headers(scope=scope).get("x-request-id", "")
    return given if _SANE.fullmatch(given) else uuid4().hex


def add_headers(scope: Scope, headers: list[tuple[bytes, bytes]]) -> None:
    """Add headers to a response, unless it already has them (names in lower case).

    The headers are HEADERS, the request's id and, under /api, the fingerprint of the index.
    """
    present = {name for name, _ in headers}
    headers.extend(header for header in _RAW if header[0] not in present)
    if scope.get("varies"):
        # Answers depend on this header, so a shared cache must keep them apart.
        headers.append((b"vary", b"X-Forwarded-Prefix"))
    if "request_id" in scope:
        headers.append((b"x-request-id", scope["request_id"].encode()))
    # Use the engine that answered. The application's engine may have been replaced since.
    engine = scope.get("engine") or getattr(scope["app"].state, "engine", None)
    if engine and scope["path"].startswith("/api/") and _RAW_FINGERPRINT not in present:
        headers.append((_RAW_FINGERPRINT, engine.info.fingerprint.encode()))


def _not_modified(start: Message) -> Message:
    """Return the start of a 304 answer: the given start without its content headers."""
    headers = [one for one in start["headers"] if not one[0].startswith(b"content-")]
    return {**start, "status": 304, "headers": headers}


class Surroundings:
    """Add request ids, headers, counts and logs, and answer HEAD like GET but without content.

    The headers forbid third-party and inline scripts on the page. Counts never contain text from a
    request. Requests are logged if `log` says so.
    """

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self.app, self.log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status, method = time.perf_counter(), 500, scope["method"]
        scope["request_id"] = request_id(scope)
        # Routes do not handle HEAD. They set values such as `tag` in this copy.
        inner = {**scope, "method": "GET" if method == "HEAD" else method}

        async def completed(message: Message) -> None:
            """Send the message with all headers, without content for HEAD."""
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if status == 200 and "tag" in inner:
                    message["headers"].append((b"etag", inner["tag"].encode()))
                    message["headers"].append((b"cache-control", b"no-cache"))
                    if "holds_any" in inner:
                        message = _not_modified(message)
                        status = 304
                add_headers(inner, message["headers"])
            elif message["type"] == "http.response.body" and (method == "HEAD" or status == 304):
                message = {**message, "body": b""}
            await send(message)

        try:
            await self.app(inner, receive, completed)
        finally:
            seconds = time.perf_counter() - begun
            # Count the route, not the path: paths contain ids from clients, and every label is kept
            # forever.
            route = getattr(inner.get("route"), "path", "other")
            # Clients may send any method name, and each name would add a label.
            counted = method if method in METHODS else "other"
            _requests.labels(counted, route, str(status)).inc()
            _latency.labels(route).observe(seconds)
            if self.log.requests:
                self.log.request({**inner, "method": method}, status, seconds)


def exposition() -> tuple[bytes, str]:
    """Return the metrics of all the server's processes, and their media type."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from prometheus_client.multiprocess import MultiProcessCollector

        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return generate_latest(shared), CONTENT_TYPE_LATEST
    return generate_latest(_registry), CONTENT_TYPE_LATEST
