"""Serve with several processes: gunicorn manages them, and uvicorn answers in each process."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
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
"""Seconds to wait before the next attempt if a replacement process could not start."""


class _Worker(UvicornWorker):  # type: ignore[misc]
    """A worker process that sends heartbeats, and ends when the first process ends."""

    CONFIG_KWARGS: ClassVar[dict[str, Any]] = {**settings(), "log_config": None}
    slot = 0
    """Position of the worker's socket in `listeners`."""
    heard: SimpleQueue[int]
    """Unhandled signals in gunicorn's queue, including those sent before the fork."""

    def init_signals(self) -> None:
        """Ignore the signals that a terminal sends to all processes, until the server handles them.

        Exit if a SIGTERM came after the fork: no other code reads gunicorn's queue in a worker.
        """
        # The base class first resets all handlers. Block Ctrl-C until then.
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
        """Send a heartbeat from the event loop, and stop if the first process was killed."""
        if os.getppid() != self.ppid:
            signal.raise_signal(signal.SIGTERM)
        await look()
        await super().callback_notify()

    def run(self) -> None:
        """Answer until stopped. If an initial worker cannot start, gunicorn stops all workers."""
        try:
            super().run()
        except SystemExit as stop:
            if stop.code == Arbiter.WORKER_BOOT_ERROR and self.age > self.cfg.workers:
                time.sleep(PAUSE)
                raise SystemExit(1) from None
            raise


class _Log(Logger):  # type: ignore[misc]
    """Logger that writes gunicorn's and uvicorn's messages in the server's own format."""

    def setup(self, cfg: Any) -> None:
        """Use the handlers that are already installed."""
        super().setup(cfg)
        ours = logging.getLogger("argsearch").handlers or logging.getLogger().handlers
        self.error_log.handlers = list(ours)


class ServedApplication(BaseApplication):  # type: ignore[misc]
    """An ASGI application with its sockets and gunicorn's settings."""

    def __init__(
        self, app: Callable[..., Any], listeners: Sequence[socket.socket], number: int, silence: int
    ) -> None:
        """Set up `number` processes for `app`, which has all data loaded that they share.

        listeners: a listening socket for each process, or one for all. silence: seconds without a
        heartbeat after which a process is replaced.
        """
        self.app, self.listeners, self.number, self.silence = app, listeners, number, silence
        super().__init__()

    def load_config(self) -> None:
        """Set the settings that differ from gunicorn's defaults."""
        chosen = {
            "workers": self.number,
            "worker_class": _Worker,
            "preload_app": True,
            "timeout": self.silence,
            "graceful_timeout": GRACE + 5,
            "pre_fork": self._prepare,
            "control_socket_disable": True,
            "logger_class": _Log,
            "loglevel": "warning",
        }
        for name, value in chosen.items():
            self.cfg.set(name, value)

    def _prepare(self, arbiter: Arbiter, worker: _Worker) -> None:
        """Give a new process the socket of the process it replaces: connections wait there."""
        worker.heard = arbiter.SIG_QUEUE
        taken = {one.slot for one in arbiter.WORKERS.values()}
        worker.slot = min(set(range(self.number)) - taken, default=0)
        worker.sockets = [self.listeners[worker.slot % len(self.listeners)]]

    def load(self) -> Callable[..., Any]:
        """Return the application."""
        return self.app


class _Arbiter(Arbiter):  # type: ignore[misc]
    """gunicorn's first process. It treats Ctrl-C like SIGTERM and passes SIGHUP to the workers."""

    def stop(self, graceful: bool = True) -> None:
        """Stop the processes, even if several could not start.

        gunicorn raises HaltServer per failed start; a second failure would break off the shutdown.
        """
        try:
            super().stop(graceful)
        except HaltServer:
            self.stop(graceful)

    def handle_int(self) -> None:
        """Let running requests finish."""
        self.handle_term()

    def handle_hup(self) -> None:
        """Make the processes check the index, and stop if the terminal is gone."""
        if hung_up():
            self.handle_term()
        self.kill_workers(signal.SIGHUP)


def keep(application: ServedApplication) -> None:
    """Serve with several processes until SIGINT or SIGTERM. Replace a process that ends or hangs.

    Raises ServerFailed if one of the first processes could not start. Call it in the main thread.
    """
    arbiter = _Arbiter(application)
    arbiter.LISTENERS = list(application.listeners)
    gc.collect()
    gc.freeze()  # a collection must not write to the pages that the processes share
    first = os.getpid()
    try:
        arbiter.run()
    except SystemExit as stop:
        if os.getpid() != first:
            raise
        if stop.code:
            said = "a process of the server could not start; its log gives the reason"
            raise ServerFailed(said) from stop
