"""A bounded load over loopback: each client sends its next request after an answer.

`python -m benchmarks.load PORT CLIENTS SECONDS < REQUESTS` takes whole HTTP requests, one in
base64 a line, and prints JSON: requests, errors, seconds, and percentiles of milliseconds.
"""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import uvloop

from benchmarks.measuring import ROOT

CLIENTS = (1, 32)
"""Numbers of clients: 1 to measure the time of an answer, and 32 for answers per second."""


def request(path: str, body: bytes | None = None) -> bytes:
    """Return a whole HTTP request: GET, or POST of JSON if there is a body."""
    head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    if body is not None:
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return f"{head}\r\n".encode() + (body or b"")


class Client(asyncio.Protocol):
    """A connection that sends the next request as soon as it is answered, until time is over.

    `times` has milliseconds. `errors` counts answers other than 200. `over` is set at the end.
    """

    def __init__(self, requests: Sequence[bytes], first: int, until: float) -> None:
        self.requests = requests
        self.next = first
        self.until = until
        self.times: list[float] = []
        self.errors = 0
        self.over = asyncio.get_running_loop().create_future()
        self.head = b""
        self.left: int | None = None

    def connection_made(self, transport: Any) -> None:
        """Send the first request."""
        self.transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        """Read a part of an answer. After the last part, send the next request."""
        if self.left is None:
            self.head += data
            head, found, content = self.head.partition(b"\r\n\r\n")
            if not found:
                return
            self.errors += head.split(b" ", 2)[1] != b"200"
            _, found, rest = head.lower().partition(b"\r\ncontent-length:")
            self.left = int(rest.partition(b"\r\n")[0]) - len(content) if found else -1
        else:
            self.left -= len(data)
        if self.left < 0:
            self._fail(ValueError(f"an answer of another length than it says: {self.head[:300]!r}"))
        elif not self.left:
            self.times.append((time.perf_counter() - self.begun) * 1e3)
            self._ask()

    def _fail(self, error: Exception) -> None:
        if not self.over.done():
            self.over.set_exception(error)
        self.transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        """Report an error if the server closed the connection before time was over."""
        if not self.over.done():
            self.over.set_exception(error or ConnectionResetError("the server closed a connection"))

    def _ask(self) -> None:
        self.head, self.left = b"", None
        self.begun = time.perf_counter()
        if self.begun >= self.until:
            self.over.set_result(None)
            self.transport.close()
            return
        self.transport.write(self.requests[self.next % len(self.requests)])
        self.next += 1


async def _load(port: int, clients: int, seconds: float, requests: Sequence[bytes]) -> Any:
    loop = asyncio.get_running_loop()
    begun = time.perf_counter()
    each = [Client(requests, i * 7, begun + seconds) for i in range(clients)]
    for client in each:
        await loop.create_connection(lambda client=client: client, "127.0.0.1", port)
    await asyncio.gather(*(client.over for client in each))
    took = time.perf_counter() - begun
    times = [t for client in each for t in client.times]
    if not times:
        raise RuntimeError(f"port {port} answered nothing within {seconds} s")
    p50, p95, p99 = np.percentile(times, [50, 95, 99])
    return {
        "clients": clients,
        "requests": len(times),
        "errors": sum(client.errors for client in each),
        "per_second": len(times) / took,
        "p50": float(p50),
        "p95": float(p95),
        "p99": float(p99),
    }


def load(port: int, clients: int, seconds: float, requests: Sequence[bytes]) -> dict[str, Any]:
    """Run the load in its own process. Return requests/s, errors, milliseconds p50/p95/p99."""
    command = [sys.executable, "-m", "benchmarks.load", str(port), str(clients), str(seconds)]
    lines = b"\n".join(base64.b64encode(one) for one in requests)
    done = subprocess.run(command, cwd=ROOT, input=lines, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the load failed: {done.stderr.decode()[-1500:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


if __name__ == "__main__":
    port, clients, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    given = [base64.b64decode(line) for line in sys.stdin.buffer.read().splitlines()]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(json.dumps(runner.run(_load(port, clients, seconds, given))))
