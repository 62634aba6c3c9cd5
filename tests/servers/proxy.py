"""A proxy before a search server that can delay, refuse and answer nonsense."""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

Answer = tuple[int, str, bytes]
"""Status, media type, body."""
Fault = Callable[[str, str, bytes], Answer | None]
"""From method, path and body of a request to the proxy's own answer; None passes the request on."""


def always(status: int, body: bytes = b"", media: str = "application/json") -> Fault:
    """The same answer to every request."""
    return lambda _method, _path, _body: (status, media, body)


def after(seconds: float) -> Fault:
    """Every request is passed on, late."""

    def wait(_method: str, _path: str, _body: bytes) -> None:
        time.sleep(seconds)

    return wait


class Proxy:
    """A server on loopback that passes requests on to `upstream`, but for the current `fault`."""

    def __init__(self, upstream: str | None = None, certificate: Path | None = None) -> None:
        self.upstream = urlsplit(upstream) if upstream else None
        self.fault: Fault | None = None
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        """Method, path and headers of every request."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        self.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Proxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """The fault's answer, or the upstream's."""
        self.requests.append((method, path, headers))
        if self.fault and (answer := self.fault(method, path, body)):
            return answer
        return self.forward(method, path, body, headers)

    def forward(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """The upstream's answer."""
        assert self.upstream is not None
        connection = http.client.HTTPConnection(str(self.upstream.hostname), self.upstream.port)
        kept = {k: v for k, v in headers.items() if k.lower() in ("accept", "content-type")}
        try:
            connection.request(method, path, body or None, kept)
            got = connection.getresponse()
            return got.status, got.getheader("content-type", "text/plain"), got.read()
        finally:
            connection.close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                status, media, content = proxy.answer(
                    self.command, self.path, body, dict(self.headers)
                )
                self.send_response(status)
                self.send_header("content-type", media)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_any

            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def handle(self) -> None:
                try:
                    super().handle()
                except (ConnectionError, ssl.SSLError):
                    self.close_connection = True  # the client has had enough

        return Handler
