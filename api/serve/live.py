"""Check all files of a newly built index, then switch to it without interrupting requests."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from argsearch.engine import Engine
from argsearch.engine.engine import FollowingEngine
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format import manifest
from argsearch.indexer.platform import HANGUP
from argsearch.indexer.server.address import is_address, mask

# Seconds between checks for a new index: of a directory's manifest, and of a server's alias.
DIRECTORY_LOOK_SECONDS = 1.0
SERVER_LOOK_SECONDS = 10.0
OPEN_ATTEMPTS = 5
"""Maximum number of attempts to open an index that is replaced while it is being opened."""
_log = logging.getLogger("argsearch")
_TERMINAL = os.isatty(2) and not any(signal.getsignal(one) is signal.SIG_IGN for one in HANGUP)
"""True if the server was started from a terminal and does not ignore SIGHUP (nohup ignores it)."""
_waiting: set[asyncio.Event] = set()
"""Events to set on SIGHUP, one for each watched index."""


def hung_up() -> bool:
    """Return True if the server's terminal is gone, so that SIGHUP should end the server."""
    return _TERMINAL and not os.isatty(2)


def state_of(folder: Path) -> tuple[int, ...] | None:
    """Return values that identify the state of an index directory, or None if there is none."""
    try:
        held, file = folder.stat(), (folder / manifest.NAME).stat()
    except OSError:
        return None
    return (held.st_dev, held.st_ino, file.st_ino, file.st_mtime_ns, file.st_size)


@dataclass
class Live:
    """An open index that is replaced when a new index is built at its address."""

    address: str
    engine: Engine
    open: Callable[[str], Engine]
    """Function that opens and warms the index at an address."""
    took: Callable[[Engine], None] = lambda _: None
    """Function that is called with each new engine."""
    seen: tuple[int, ...] | None = None
    """The directory's state at the last check."""
    left: bool = False
    """True if an engine was replaced; `look` then collects the reference cycles of its caches."""

    def look(self, *, again: bool = False) -> None:
        """Switch to the current index; if it cannot be used, write a line to the log.

        again: also retry an index that was rejected before and has not changed since.
        """
        if self.left:
            self.left = False
            gc.collect()  # frees the memory and disk space of the old index
        try:
            if isinstance(self.engine, FollowingEngine):
                if self.engine.look():
                    self._say()
                return
            state = state_of(Path(self.address))
            if state is None or (state == self.seen and not again):
                return
            self.seen = state
            lies, held = manifest.read(Path(self.address)), self.engine.info.manifest
            if manifest.identity(lies) != manifest.identity(held):
                self.engine, self.left = self._whole(), True
                self.took(self.engine)
                self._say()
        except (ArgsearchError, OSError) as error:
            self._refuse(error)

    def _whole(self) -> Engine:
        """Check every file of the index and open it, all from one state of the directory."""
        folder = Path(self.address)
        for _ in range(OPEN_ATTEMPTS):
            before = state_of(folder)
            try:
                manifest.verify(folder)
                engine = self.open(self.address)
            except (ArgsearchError, OSError):
                if state_of(folder) != before:
                    continue
                raise
            if state_of(folder) == before:
                self.seen = before
                return engine
            engine.close()
        raise manifest.IndexDamaged(f"index {folder} was replaced every time it was opened")

    def _say(self) -> None:
        info = self.engine.info
        _log.info(
            "%s was replaced: %s arguments, fingerprint %s from now on",
            *(mask(self.address), f"{info.documents:,}", info.fingerprint[:12]),
        )

    def _refuse(self, error: Exception) -> None:
        old = self.engine.info.fingerprint[:12]
        _log.error("the new index cannot be used, so %s stays in use: %s", old, error)

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Check before the first answer, then every DIRECTORY_LOOK_SECONDS and on SIGHUP."""
        await run_in_threadpool(self.look)
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        heard = HANGUP if threading.current_thread() is threading.main_thread() else ()
        for one in heard:
            loop.add_signal_handler(one, _hear)
        _waiting.add(told)
        watching = asyncio.create_task(self._watch(told))
        try:
            yield
        finally:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            _waiting.discard(told)
            for one in () if _waiting else heard:
                loop.remove_signal_handler(one)

    async def _watch(self, told: asyncio.Event) -> None:
        pause = SERVER_LOOK_SECONDS if is_address(self.address) else DIRECTORY_LOOK_SECONDS
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(told.wait(), pause)
            again = told.is_set()
            told.clear()
            try:
                await run_in_threadpool(self.look, again=again)
            except Exception:  # the server continues, whatever is there
                _log.exception("the index could not be checked")


def _hear() -> None:
    if hung_up():
        os.kill(os.getpid(), signal.SIGTERM)
    look_now()


def look_now() -> None:
    """Check every index that this process watches. Call this function in the event loop."""
    for told in _waiting:
        told.set()
