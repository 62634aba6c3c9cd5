"""`argsearch serve`: the web page and the HTTP API."""

from __future__ import annotations

import contextlib
import errno
import faulthandler
import logging
import os
import signal
import socket
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from argsearch.api.cli import terminal
from argsearch.api.cli.options import (
    Host,
    Port,
    Quiet,
    RootPath,
    TokenFile,
    choice,
    option,
    within,
)
from argsearch.api.serve.logs import LOG_FORMS, Log
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.platform import FORKS, HANGUP
from argsearch.indexer.processes import WorkerEnded, Workers
from argsearch.indexer.server.address import mask

if TYPE_CHECKING:
    from argsearch.api.http.access import Access
    from argsearch.api.http.prefix import Behind
    from argsearch.engine import Engine
    from argsearch.engine.backends.base import IndexInfo

BACKLOG = 2048
"""Maximum number of connections waiting to be accepted."""
SWITCH = 0.001
"""Maximum time that the event loop waits for each busy thread, in seconds (Python's: 0.005)."""
MOST_SERVE_WORKERS = 256
# Range of --worker-timeout, in seconds.
SHORTEST_SILENCE = 2
LONGEST_SILENCE = 3600


_log = logging.getLogger("argsearch")


class AddressUnusable(ArgsearchError):
    """The address to serve on is in use or does not belong to this machine."""


def serve(
    index: list[str] = option(
        "--index [NAME=]INDEX",
        "The index: a directory, or http(s)://host:port/name. With several, name each: "
        "it is served under /api/NAME/, the first also at the usual paths.",
        ...,
    ),
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: int = within(
        "--workers N",
        1,
        MOST_SERVE_WORKERS,
        "Number of processes; they share the index and the data loaded for it.",
        1,
    ),
    silence: int = within(
        "--worker-timeout SECONDS",
        SHORTEST_SILENCE,
        LONGEST_SILENCE,
        "With --workers: replace a process that is unresponsive for this long.",
        30,
    ),
    cors: list[str] | None = option(
        "--cors ORIGIN",
        "Allow web pages from this origin (such as https://example.org, or * for all) to read "
        "responses; repeatable.",
        None,
    ),
    token_file: TokenFile = None,
    write_token_file: Path | None = option(
        "--write-token-file FILE",
        "Allow clients that send a token from this file (one per line) to change the index.",
        None,
    ),
    root_path: RootPath = None,
    rate_limit: str | None = option(
        "--rate-limit N/s", "Maximum requests per second from one client, such as 5/s.", None
    ),
    log: str = choice(
        "--log",
        LOG_FORMS,
        "text: log errors; json: log errors and every request, one JSON object per line.",
        "text",
    ),
    log_questions: bool = option(
        "--log-questions", "With --log json: log full addresses, including questions.", False
    ),
    quiet: Quiet = False,
) -> None:
    """Serve the search page and the HTTP API.

    `/health` and `/ready` need no token.

    Example: argsearch serve --index my-index --port 8080
    """
    if workers > 1 and not FORKS:
        allowed = "1 on this system; its processes cannot share an index"
        raise InvalidParameter("--workers", workers, allowed)
    with _counting_together() if workers > 1 else contextlib.nullcontext():
        from argsearch.api.http.access import Access, read_origins, read_rate, read_tokens
        from argsearch.api.http.prefix import read_root_path
        from argsearch.api.http.several import read_names

        tokens = read_tokens(token_file)
        writers = read_tokens(write_token_file, "--write-token-file")
        access = Access(read_origins(cors or ()), tokens, read_rate(rate_limit), writers)
        log_form = Log(log, log_questions)
        serving = _Serving(read_names(index), access, log_form, read_root_path(root_path))
        serving.log.install()
        _serve(serving, (host, port), (workers, silence), quiet)
    serving.say("stopped", quiet)


@contextlib.contextmanager
def _counting_together() -> Iterator[None]:
    """Count requests in files that all processes share, and restore the environment at the end."""
    from argsearch.indexer.staging import scratch_folder

    name = "PROMETHEUS_MULTIPROC_DIR"
    before = {name: os.environ[name]} if name in os.environ else {}
    with scratch_folder("argsearch-metrics-") as folder:
        # prometheus_client reads this variable when the counters are created.
        os.environ[name] = str(folder)
        try:
            yield
        finally:
            del os.environ[name]
            os.environ.update(before)


def _serve(serving: _Serving, at: tuple[str, int], processes: tuple[int, int], quiet: bool) -> None:
    """Open the indexes, listen and answer until stopped.

    processes: the number of processes, and the seconds after which a silent process is replaced.
    """
    (host, port), (workers, _) = at, processes
    with contextlib.ExitStack() as stack:
        opened = {name: _opened(one, workers) for name, one in serving.indexes.items()}
        for _, source in opened.values():
            if not isinstance(source, str):
                stack.enter_context(source)
        listeners = listen(host, port, workers)
        for listener in listeners:
            stack.enter_context(listener)
        for one in HANGUP:
            stack.callback(signal.signal, one, signal.getsignal(one))
            signal.signal(one, lambda *_: None)  # until there is an index to check
        print(address(host, listeners[0]), flush=True)
        for name, (info, _) in opened.items():
            index = mask(serving.indexes[name]) + (f" as {name}" if name else "")
            said = f"serving {index}: {info.documents:,} arguments, fingerprint "
            serving.say(f"{said}{info.fingerprint[:12]}; Ctrl-C stops", quiet)
        sources = {name: source for name, (_, source) in opened.items()}
        _run(serving, serving.app(sources), listeners, processes)


@dataclass(frozen=True)
class _Serving:
    """The indexes to serve, the access rules and the log."""

    indexes: Mapping[str, str]
    """Index addresses by index name. A single index may have an empty name."""
    access: Access
    log: Log
    root_path: str | None
    """The path at which a proxy exposes the server, or None to use the proxy's header."""

    def say(self, text: str, quiet: bool) -> None:
        """Print a message, or log it if requests are logged too."""
        if self.log.requests and not quiet:
            _log.info(text)
        else:
            terminal.say(text, quiet=quiet)

    def app(self, sources: Mapping[str, Engine | str]) -> Behind:
        """Return the application. sources: open engines, or addresses to open, by index name."""
        from argsearch.api.http.app import create_app
        from argsearch.api.http.prefix import Behind
        from argsearch.api.http.several import Several

        apps = {
            name: create_app(source, self.access, self.log, self.indexes[name])
            for name, source in sources.items()
        }
        return Behind(Several(apps) if any(apps) else apps[""], self.root_path)


def _opened(index: str, workers: int) -> tuple[IndexInfo, Engine | str]:
    """Return the index's info, and an open engine to share or else the address to open.

    Problems with the index or its encoder are found here, before the server listens. Forked
    processes share an engine, but connections and neural libraries do not survive a fork.
    """
    from argsearch.api.http.app import prepared, warmed
    from argsearch.engine import Engine

    engine = Engine.open(index)
    if workers == 1 or engine.light:
        os.environ["TOKENIZERS_PARALLELISM"] = "false"  # its threads would not survive a fork
        warmed(engine)
        return engine.info, engine if workers == 1 else prepared(engine)  # shared by all
    info = engine.info
    engine.close()
    if fault := _tried_elsewhere(index):
        from argsearch.api.serve.serving import ServerFailed

        raise ServerFailed(fault)
    return info, index


def _tried_elsewhere(index: str) -> str | None:
    """Open the index in a separate process, and return any problem with it or its encoder."""
    process = Workers()
    try:
        return process.do(_tried, index)
    except WorkerEnded:
        return (
            "the process that tested the index and its encoder ended early; see its log, or check "
            "whether memory ran out"
        )
    finally:
        process.close()


def _tried(index: str) -> str | None:
    from argsearch.api.http.app import warmed
    from argsearch.engine import Engine

    try:
        warmed(Engine.open(index)).close()
    except ArgsearchError as error:
        return str(error)
    except Exception:
        traceback.print_exc()
        return "the index or its encoder cannot be used; the log gives the reason"
    return None


def listen(host: str, port: int, number: int) -> list[socket.socket]:
    """Return a socket for each process, all on one port. Linux distributes the connections.

    With one shared socket, the first process to wake would take all waiting connections.
    """
    listeners = [_bound(host, port)]
    if number > 1 and sys.platform == "linux":
        with listeners.pop() as alone:  # while it is held, no other program can take the port
            port = alone.getsockname()[1]
        listeners = [_bound(host, port, shared=True) for _ in range(number)]
    for listener in listeners:
        listener.listen(BACKLOG)
    return listeners


def _bound(host: str, port: int, *, shared: bool = False) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns off send delays only if the socket was created with the protocol TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # on Windows this would let two servers take one port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # With a larger buffer, a slow reader gets megabytes at once and then nothing for a long time.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 17)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        why = "is in use" if taken else f"cannot be used ({error.strerror or error})"
        said = f"port {port} of {host} {why}; choose another with --port or --host"
        raise AddressUnusable(said) from error
    return listener


def address(host: str, listener: socket.socket) -> str:
    """Return the HTTP address of a listening socket."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


def _run(
    serving: _Serving,
    app: Behind,
    listeners: Sequence[socket.socket],
    processes: tuple[int, int],
) -> None:
    """Answer requests in this process or in several, until the server is stopped."""
    import uvicorn

    from argsearch.api.serve.serving import ServerFailed, settings

    sys.setswitchinterval(SWITCH)
    faulthandler.enable(2, all_threads=False)  # reports the reason if a mapped file is truncated
    workers, silence = processes
    if workers > 1:
        from argsearch.api.serve.workers import ServedApplication, keep

        keep(ServedApplication(app, listeners, workers, silence))
        return
    form = uvicorn.config.LOGGING_CONFIG if serving.log.form == "text" else None
    server = uvicorn.Server(uvicorn.Config(app, log_config=form, **settings()))
    with contextlib.suppress(SystemExit, KeyboardInterrupt):  # the cause is logged
        server.run(sockets=list(listeners))
    if not server.started:
        raise ServerFailed("the server could not start; its log gives the reason")
