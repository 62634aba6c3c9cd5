"""Real Elasticsearch and OpenSearch nodes on loopback, from artefacts on Maven Central.

`python tests/servers/launcher.py` starts one of each and prints their addresses until Ctrl-C.
A node is a process that ends (and removes its folder) when its standard input ends, so nothing is
left running when whoever started it is killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".cache" / "servers"
READY_SECONDS = 60.0
"""Patience with a machine that is busy with other work; a free one takes 5 to 15 seconds."""


@dataclass(frozen=True)
class Product:
    """A search server that can be started here."""

    name: str
    runner: str
    java: range
    """The Java versions that it runs on."""


PRODUCTS = {
    "elasticsearch": Product(
        "elasticsearch",
        "org.codelibs.elasticsearch.runner.ElasticsearchClusterRunner",
        range(11, 18),
    ),
    "opensearch": Product(
        "opensearch", "org.codelibs.opensearch.runner.OpenSearchRunner", range(21, 100)
    ),
}


class ServerUnavailableError(RuntimeError):
    """A server cannot be started here; the message is one line that says what to install."""


def _java_version(home: Path) -> int:
    """The major version of the JDK in a folder, 0 where there is none."""
    if not (home / "bin" / "javac").exists():
        return 0
    try:
        release = (home / "release").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(r'^JAVA_VERSION="(\d+)', release, re.MULTILINE)
    return int(found[1]) if found else 0


def _java_homes() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if java := shutil.which("java"):
        yield Path(java).resolve().parents[1]
    yield from sorted(Path("/usr/lib/jvm").glob("*"))


def find_java(product: Product) -> Path:
    """The `java` of a JDK that the product runs on: from JAVA_HOME, PATH or /usr/lib/jvm.

    Raises ServerUnavailableError.
    """
    for home in _java_homes():
        if _java_version(home) in product.java:
            return home / "bin" / "java"
    least, most = product.java[0], product.java[-1]
    versions = f"{least} or newer" if most > 90 else f"{least} to {most}"
    raise ServerUnavailableError(
        f"{product.name} needs a JDK {versions}; install one or set JAVA_HOME"
    )


def jars(product: Product) -> Path:
    """The folder of the product's jars; Maven resolves them once. Raises ServerUnavailableError."""
    pom = HERE / product.name / "pom.xml"
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:12]
    folder = CACHE / f"{product.name}-{digest}"
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if not maven:
        raise ServerUnavailableError(f"{product.name} needs Maven to fetch its jars; install maven")
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        import fcntl  # where there is none, this is not run

        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        part = folder.with_suffix(".part")
        command = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
        done = subprocess.run(
            [*command, f"-DoutputDirectory={part}"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            lines = (done.stdout + done.stderr).strip().splitlines() or ["no output"]
            raise ServerUnavailableError(
                f"Maven cannot fetch {product.name}'s jars: {lines[0][:300]}"
            )
        part.rename(folder)
    return folder


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@dataclass
class Node:
    """One node in a process of its own."""

    product: Product
    name: str
    folder: Path
    port: int
    settings: dict[str, str]
    heap: str = "512m"
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """The node's HTTP address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """What the node printed."""
        return self.folder / "node.log"

    def start(self) -> None:
        """Start the process, on what its folder holds."""
        java, folder = find_java(self.product), jars(self.product)
        self.folder.mkdir(parents=True, exist_ok=True)
        options = [f"-Xms{self.heap}", f"-Xmx{self.heap}", "-XX:+UseSerialGC"]
        program = [str(java), *options, "-cp", f"{folder}/*", str(HERE / "SearchNode.java")]
        settings = [f"{key}={value}" for key, value in self.settings.items()]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*program, self.product.runner, str(self.folder), *settings],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches the launcher alone
            )

    def kill(self) -> None:
        """End the process with signal 9; its folder stays, `start` brings the node back."""
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self._ended()

    def stop(self) -> None:
        """End the process; its folder goes soon after it, so that it cannot start again."""
        if self.process and self.process.stdin:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
            self._ended()

    def _ended(self) -> None:
        if self.process:
            self.process.wait()
            if self.process.stdin:
                self.process.stdin.close()
            self.process = None

    def failure(self) -> str | None:
        """Why the process ended by itself; None while it runs."""
        if self.process is None or self.process.poll() is None:
            return None
        text = self.log.read_text(encoding="utf-8", errors="replace")
        causes = [line for line in text.splitlines() if "Caused by" in line or "Exception" in line]
        return (causes or text.splitlines() or ["no output"])[-1][:400]


def get(url: str, timeout: float = READY_SECONDS) -> Any:
    """The JSON that an address answers."""
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return json.load(answer)


@dataclass
class Cluster:
    """Nodes of one product that know each other; a context manager that starts and stops them."""

    product: Product
    folder: Path
    nodes: list[Node]

    @property
    def url(self) -> str:
        """The address of the first node."""
        return self.nodes[0].url

    def __enter__(self) -> Cluster:
        try:
            for node in self.nodes:
                node.start()
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait(self, nodes: int | None = None, status: str = "yellow") -> None:
        """Until `nodes` nodes (all) have met and the cluster has that status.

        Raises ServerUnavailableError after READY_SECONDS or when a process has ended.
        """
        running = [node for node in self.nodes if node.process]
        query = f"wait_for_nodes={nodes or len(self.nodes)}&wait_for_status={status}&timeout=1s"
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end:
            for node in running:
                if failure := node.failure():
                    raise ServerUnavailableError(f"{self.product.name} did not start: {failure}")
            try:
                if all(self._healthy(node, query) for node in running):
                    return
            except (OSError, urllib.error.URLError, ValueError):
                pass
            time.sleep(0.1)
        raise ServerUnavailableError(
            f"{self.product.name} was not ready after {READY_SECONDS:.0f} s"
        )

    @staticmethod
    def _healthy(node: Node, query: str) -> bool:
        return not get(f"{node.url}/_cluster/health?{query}", timeout=5)["timed_out"]

    def stop(self) -> None:
        """End every process and remove every file."""
        for node in self.nodes:
            node.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def cluster(
    name: str, nodes: int = 1, heap: str = "512m", settings: dict[str, str] | None = None
) -> Cluster:
    """A cluster of `nodes` separate processes, not started yet; raises ServerUnavailableError."""
    product = PRODUCTS[name]
    find_java(product)
    jars(product)
    folder = Path(tempfile.mkdtemp(prefix=f"argsearch-{name}-"))
    ports = free_ports(2 * nodes)
    names = [f"node-{i + 1}" for i in range(nodes)]
    seeds = [f"127.0.0.1:{port}" for port in ports[nodes:]]
    made = []
    for i, own in enumerate(names):
        given = {
            "cluster.name": folder.name,
            "node.name": own,
            "network.host": "127.0.0.1",
            "http.port": str(ports[i]),
            "transport.port": str(ports[nodes + i]),
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            **_discovery(names, seeds),
            **(settings or {}),
        }
        made.append(Node(product, own, folder / own, ports[i], given, heap))
    return Cluster(product, folder, made)


def _discovery(names: Sequence[str], seeds: Sequence[str]) -> dict[str, str]:
    if len(names) == 1:
        return {"discovery.type": "single-node"}
    return {
        "discovery.type": "zen",
        "discovery.seed_hosts": ",".join(seeds),
        "cluster.initial_master_nodes": ",".join(names),
    }


def main(arguments: Sequence[str]) -> int:
    """Start one node of each product named (all), print the addresses, wait for Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as stack:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        started = 0
        for name in arguments or PRODUCTS:
            try:
                running = stack.enter_context(cluster(name, heap="1g"))
            except (ServerUnavailableError, KeyError) as error:
                print(f"error: {error}", file=sys.stderr)
                continue
            version = get(running.url)["version"]["number"]
            print(f"{name} {version}: {running.url}", flush=True)
            started += 1
        if not started:
            return 1
        print("Ctrl-C stops", file=sys.stderr)
        while True:
            signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
