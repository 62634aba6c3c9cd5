"""A model hub on loopback: one folder under one name, with the few addresses that clients ask."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def serving(folder: Path, name: str) -> Iterator[tuple[str, list[str]]]:
    """The address of a hub that has `folder` as the model `name`, and the paths asked for."""
    asked: list[str] = []

    class Hub(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            asked.append(path)
            file = folder / path.removeprefix(f"/{name}/resolve/{COMMIT}/")
            if path.startswith(f"/api/models/{name}"):
                names = [str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()]
                found = {"id": name, "sha": COMMIT, "siblings": [{"rfilename": n} for n in names]}
                if "/tree/" in path:
                    found = [
                        {"type": "file", "path": n, "size": (folder / n).stat().st_size, "oid": "0"}
                        for n in names
                    ]
                self._answer(200, json.dumps(found).encode(), "application/json")
            elif path.startswith(f"/{name}/resolve/") and file.is_file():
                self._answer(200, file.read_bytes(), "application/octet-stream")
            else:
                self._answer(404, b"{}", "application/json")

        do_HEAD = do_GET

        def _answer(self, status: int, body: bytes, kind: str) -> None:
            first = 0
            given = self.headers.get("Range", "")
            if status == 200 and given.startswith("bytes="):
                first, status = int(given[6:].partition("-")[0]), 206
            self.send_response(status)
            if status == 206:
                self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
            if status == 404:
                self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body) - first))
            self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body[first:])

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
