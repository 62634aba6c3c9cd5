"""A bounded load over loopback: clients that each send their next request when one is answered.

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
"""How many ask at a time: the first for the time of an answer, the second for answers a second."""


def request(path: str, body: bytes | None = None) -> bytes:
    """A whole HTTP request: GET, or POST of JSON where there is a body."""
    head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    if body is not None:
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return f"{head}\r\n".encode() + (body or b"")


class Client:
    """One connection; `times` are its milliseconds, `errors` the answers other than 200."""

    def __init__(self, port: int, requests: Sequence[bytes], first: int) -> None:
        self.port = port
        self.requests = requests
        self.next = first
        self.times: list[float] = []
        self.errors = 0

    async def run(self, until: float) -> None:
        """Ask until the time is over."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        while time.perf_counter() < until:
            begun = time.perf_counter()
            writer.write(self.requests[self.next % len(self.requests)])
            self.next += 1
            self.errors += await self._answer(reader) != b"200"
            self.times.append((time.perf_counter() - begun) * 1e3)
        writer.close()

    @staticmethod
    async def _answer(reader: asyncio.StreamReader) -> bytes:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        status = head.split(b" ", 2)[1]
        if b"transfer-encoding: chunked" in head:
            while size := int(await reader.readuntil(b"\r\n"), 16):
                await reader.readexactly(size + 2)
            await reader.readuntil(b"\r\n")
        else:
            length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
        return status


async def _load(port: int, clients: int, seconds: float, requests: Sequence[bytes]) -> Any:
    begun = time.perf_counter()
    each = [Client(port, requests, i * 7) for i in range(clients)]
    await asyncio.gather(*(client.run(begun + seconds) for client in each))
    took = time.perf_counter() - begun
    times = [t for client in each for t in client.times]
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
    """The load from a process of its own: requests a second, errors, milliseconds p50/p95/p99."""
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
