"""Work shared out among processes that end with the one they work for, its results in order."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker, spawn, util
from multiprocessing.connection import Connection
from multiprocessing.process import parent_process
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any, TypeVar

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.platform import ALARM, unblock

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[..., None]
"""Told of each stage by name, of how many documents (conclusions, premises) are done in it, and
where that is known, as a third argument, of how many."""


def silent(*_: object) -> None:
    """Tell nobody."""


_PR_SET_PDEATHSIG = 1
_STOPS = (signal.SIGINT, signal.SIGTERM, *ALARM)
"""Signals whose handlers may raise; an alarm brings one that had to wait."""


class WorkerEnded(ArgsearchError):
    """A worker process of a build ended before its work was done."""


class Worker:
    """A process that is given one piece of work after the other.

    It has a connection of its own, of which this process does not hold the other end: whenever it
    is killed, even halfway through a result, a reader is told. (The processes of a
    `ProcessPoolExecutor` share one; a result that is never finished halts it for good.)
    """

    def __init__(self) -> None:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with theirs:
            start_worker(self._process)

    def do(self, work: Callable[[Item], Result], item: Item) -> Result:
        """The work's result or error; raises WorkerEnded where the process has ended."""
        try:
            self._connection.send((work, item))
            done, result = self._connection.recv()
        except (EOFError, OSError) as error:
            raise WorkerEnded(
                "a process of the build ended before its work was done (killed, or there is too "
                "little memory); run it again with fewer --workers"
            ) from error
        if not done:
            raise result
        return result  # type: ignore[no-any-return]

    def exit_code(self) -> int | None:
        """Wait until the process has ended; its exit code, -n where signal n ended it."""
        self._process.join()
        return self._process.exitcode

    def kill(self) -> None:
        """End the process now, whatever it does; who waits for it is told."""
        self._process.kill()

    def close(self) -> None:
        """Wait for a process that was killed, and close the connection to it."""
        self._process.join()
        self._process.close()
        self._connection.close()


def _serve(connection: Connection) -> None:
    """What a worker process does: piece after piece, until nobody is there to ask.

    It is tied to its parent before anything that takes time is imported for the work.
    """
    end_with_parent()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            connection.send_bytes(_answer(*connection.recv()))


def _answer(work: Callable[[Item], Result], item: Item) -> memoryview:
    """Whether the work was done, and its result or error, as they are sent."""
    try:
        return ForkingPickler.dumps((True, work(item)))
    except Exception as error:
        error.add_note(f"in a worker process: {traceback.format_exc()}")
        return ForkingPickler.dumps((False, error))


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """`work` of every item, in their order; `workers` processes, or none beside this one for 1.

    A process ends with this one, however that ends. Raises WorkerEnded when one ends before.
    """
    if workers == 1:
        yield from map(work, items)
        return
    crew: list[Worker] = []
    idle: SimpleQueue[Worker] = SimpleQueue()
    threads = ThreadPoolExecutor(workers)  # each waits for one process
    try:
        for _ in range(workers):
            crew.append(Worker())
            idle.put(crew[-1])
        pending: list[Future[Result]] = []
        for item in items:
            pending.append(threads.submit(_by_one_of, idle, work, item))
            if len(pending) > 2 * workers:
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()
    finally:
        for worker in crew:
            worker.kill()
        threads.shutdown(cancel_futures=True)
        for worker in crew:
            worker.close()


def _by_one_of(idle: SimpleQueue[Worker], work: Callable[[Item], Result], item: Item) -> Result:
    worker = idle.get()
    try:
        return worker.do(work, item)
    finally:
        idle.put(worker)


_starting = threading.Lock()


def start_worker(process: multiprocessing.process.BaseProcess) -> None:
    """Start a process that multiprocessing spawns, whole: a signal to stop waits until it stands.

    A process that has begun and is not told its work complains that it ran out of input. Ctrl-C,
    which a terminal sends to every process, is kept from it until it ends with its parent.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows: it has no tracker of resources either
        with _postponed():
            process.start()
        return
    resource_tracker.ensure_running()  # lets Ctrl-C through, so that it comes first
    with _postponed():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            with _starting:
                usual, spawn.get_command_line = spawn.get_command_line, _command
                try:
                    process.start()
                finally:
                    spawn.get_command_line = usual
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _command(**pipes: int) -> list[str]:
    """Return the words that start a worker: one whose parent is killed first ends without a word.

    multiprocessing's own end in a traceback of EOFError then, as they are told nothing.
    """
    given = ", ".join(f"{name}={pipe}" for name, pipe in pipes.items())
    begin = f"from multiprocessing.spawn import spawn_main\ntry: spawn_main({given})"
    words = ["-c", f"{begin}\nexcept EOFError: raise SystemExit(1)", "--multiprocessing-fork"]
    flags = util._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [os.fsdecode(spawn.get_executable()), *flags, *words]


@contextmanager
def _postponed() -> Iterator[None]:
    """Within, what the handlers of signals do waits; they are raised again at its end.

    To block them would not do: where another thread takes one, it is this one that handles it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # no signal is handled here
        return
    came: set[int] = set()
    before: dict[int, Any] = {one: signal.getsignal(one) for one in _STOPS}
    heard = [one for one in _STOPS if callable(before[one]) or before[one] is signal.SIG_DFL]
    waits = True

    def hold(number: int, _frame: object) -> None:
        """Note a signal, to be raised at the end."""
        if waits:
            came.add(number)
        else:  # met while the handlers are put back
            signal.signal(number, before[number])
            signal.raise_signal(number)

    try:
        for one in heard:
            signal.signal(one, hold)
        yield
    finally:
        waits = False
        for one in heard:
            signal.signal(one, before[one])
        for number in sorted(came, reverse=True):  # SIGTERM says more than Ctrl-C
            signal.raise_signal(number)


def end_with_parent() -> None:
    """In a worker that multiprocessing started: end it at once when its parent has ended.

    On Linux the kernel sees to that, which a worker that hangs or is halted cannot hold up (it
    watches the thread that started the worker); elsewhere a thread does. Ctrl-C, which a terminal
    sends to every process, is left to the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    unblock([signal.SIGINT])
    parent = parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent.pid:  # it went before the kernel was told
            os._exit(1)
    else:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
