"""Several processes behind one address: gunicorn looks after them, uvicorn answers in each."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, ClassVar

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer
from gunicorn.glogging import Logger
from uvicorn_worker import UvicornWorker

from argsearch.api.serve.live import hung_up
from argsearch.api.serve.serving import GRACE, ServerFailed, look, settings

PAUSE = 1.0
"""Seconds that a process waits that replaces another and could not start: another will try."""


@dataclass(frozen=True)
class Keeping:
    """What gunicorn is to keep, and how."""

    app: Callable[..., Any]
    """The ASGI application, with everything loaded that the processes share."""
    listeners: Sequence[socket.socket]
    """A listening socket for each process, or one for all."""
    number: int
    silence: int
    """Seconds without a sign of life after which a process is replaced."""


class _Worker(UvicornWorker):  # type: ignore[misc]
    """A process that answers. It ends with the first process, and gives signs of life."""

    CONFIG_KWARGS: ClassVar[dict[str, Any]] = {**settings(), "log_config": None}
    slot = 0
    """The number of its listening socket."""
    heard: SimpleQueue[int]
    """The signals that gunicorn has noted and not followed yet, those of before the fork too."""

    def init_signals(self) -> None:
        """Ignore what a terminal sends to all its processes until the server handles it.

        A SIGTERM that came since the fork is in gunicorn's queue, where nobody would look.
        """
        # The worker's class resets all handlers first: until these are set again a Ctrl-C waits.
        of_terminal = {signal.SIGHUP, signal.SIGINT}
        signal.pthread_sigmask(signal.SIG_BLOCK, of_terminal)
        super().init_signals()
        self.config.callback_notify = self.callback_notify
        for one in of_terminal:
            signal.signal(one, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, of_terminal)
        while not self.heard.empty():
            if self.heard.get() in (signal.SIGTERM, signal.SIGINT):
                raise SystemExit(0)

    async def callback_notify(self) -> None:
        """Give a sign of life from the event loop; stop if the first process was killed."""
        if os.getppid() != self.ppid:
            signal.raise_signal(signal.SIGTERM)
        await look()
        await super().callback_notify()

    def run(self) -> None:
        """Answer until told to stop; if one of the first cannot start, gunicorn stops them all."""
        try:
            super().run()
        except SystemExit as stop:
            if stop.code == Arbiter.WORKER_BOOT_ERROR and self.age > self.cfg.workers:
                time.sleep(PAUSE)
                raise SystemExit(1) from None
            raise


class _Log(Logger):  # type: ignore[misc]
    """Writes what gunicorn and uvicorn say in the server's own form."""

    def setup(self, cfg: Any) -> None:
        """Use the handlers that are installed already."""
        super().setup(cfg)
        ours = logging.getLogger("argsearch").handlers or logging.getLogger().handlers
        self.error_log.handlers = list(ours)


class _Application(BaseApplication):  # type: ignore[misc]
    """gunicorn's settings, and the application."""

    def __init__(self, keeping: Keeping) -> None:
        self.keeping = keeping
        super().__init__()

    def load_config(self) -> None:
        """Set what differs from gunicorn's defaults."""
        chosen = {
            "workers": self.keeping.number,
            "worker_class": _Worker,
            "preload_app": True,
            "timeout": self.keeping.silence,
            "graceful_timeout": GRACE + 5,
            "pre_fork": self._prepare,
            "control_socket_disable": True,
            "logger_class": _Log,
            "loglevel": "warning",
        }
        for name, value in chosen.items():
            self.cfg.set(name, value)

    def _prepare(self, arbiter: Arbiter, worker: _Worker) -> None:
        """Give a new process the socket of the one that it replaces: connections wait there."""
        worker.heard = arbiter.SIG_QUEUE
        taken = {one.slot for one in arbiter.WORKERS.values()}
        worker.slot = min(set(range(self.keeping.number)) - taken, default=0)
        worker.sockets = [self.keeping.listeners[worker.slot % len(self.keeping.listeners)]]

    def load(self) -> Callable[..., Any]:
        """Return the application."""
        return self.keeping.app


class _Arbiter(Arbiter):  # type: ignore[misc]
    """gunicorn's first process. Ctrl-C is SIGTERM to it, and SIGHUP is for its processes."""

    def stop(self, graceful: bool = True) -> None:
        """Stop the processes, also where several could not start.

        gunicorn raises HaltServer for each of them, so a second one would end the stop halfway.
        """
        try:
            super().stop(graceful)
        except HaltServer:
            self.stop(graceful)

    def handle_int(self) -> None:
        """Let running requests end."""
        self.handle_term()

    def handle_hup(self) -> None:
        """Have the processes look at the index; stop if the terminal is gone."""
        if hung_up():
            self.handle_term()
        self.kill_workers(signal.SIGHUP)


def keep(keeping: Keeping) -> None:
    """Answer in processes until SIGINT or SIGTERM; each that ends or hangs is replaced.

    Raises ServerFailed if one of the first could not start. To be called in the main thread.
    """
    arbiter = _Arbiter(_Application(keeping))
    arbiter.LISTENERS = list(keeping.listeners)
    gc.collect()
    gc.freeze()  # a collection must not write to the pages that the processes share
    first = os.getpid()
    try:
        arbiter.run()
    except SystemExit as stop:
        if os.getpid() != first:
            raise
        if stop.code:
            said = "a process of the server could not start; its log says why"
            raise ServerFailed(said) from stop
