"""Shares work among processes that end with their parent, and returns results in order."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.platform import block, signals

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[..., None]
"""Callback for progress, with the stage, the number of finished items, and the total if known.
The items are documents, conclusions or premises."""


def silent(*_: object) -> None:
    """Report no progress."""


class WorkerEnded(ArgsearchError):
    """A worker process of a build ended before its work was done."""


class Workers:
    """Processes that take work in turn; they can be killed, and end when this process ends.

    A process is only started when there is work for it.
    """

    def __init__(self, number: int = 1) -> None:
        self._context = _Context()
        self._pool = ProcessPoolExecutor(number, self._context, _end_with_parent)

    def submit(self, work: Callable[..., Result], *given: Any) -> Future[Result]:
        """Give work to a process; raise WorkerEnded if one of the processes has ended."""
        with _ends_told():
            return self._pool.submit(work, *given)

    def do(self, work: Callable[..., Result], *given: Any) -> Result:
        """Return the result of some work, or raise its error; raise WorkerEnded if it is lost."""
        return result_of(self.submit(work, *given))

    def kill(self) -> None:
        """Kill the processes immediately; unfinished work raises WorkerEnded."""
        with suppress(BrokenProcessPool):
            self._pool.shutdown(wait=False, cancel_futures=True)
        for process in self._context.crew:
            with suppress(ValueError, AttributeError):  # closed already, or not started yet
                process.kill()

    def close(self) -> None:
        """Kill the processes, and wait until they have ended."""
        self.kill()
        for process in self._context.crew:
            if process.pid:  # a pool that is shut down twice does not wait
                process.join()


def result_of(future: Future[Result]) -> Result:
    """Wait for the result of submitted work; raise WorkerEnded if a process ends early."""
    with _ends_told():
        return future.result()


@contextmanager
def _ends_told() -> Iterator[None]:
    try:
        yield
    except (BrokenProcessPool, RuntimeError) as error:
        if not isinstance(error, BrokenProcessPool) and "after shutdown" not in str(error):
            raise
        raise WorkerEnded(
            "a process of the build ended before its work was done (it was killed, or memory ran "
            "out); run the build again with fewer --workers"
        ) from error


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """Yield `work(item)` for each item in order, by `workers` processes or, if 1, by this process.

    They end when this process ends, even if it is killed. Raises WorkerEnded if one ends early.
    """
    if workers == 1:
        yield from map(work, items)
        return
    from argsearch.indexer.staging import loading_folder  # this also imports numpy

    # Pass items and results in files. If a process is killed before its result in the pool's pipe
    # is complete, the pool hangs forever (docs/decisions/0015).
    with loading_folder("argsearch-work-") as folder:
        crew = Workers(workers)
        pending: deque[tuple[Future[None], Path]] = deque()
        try:
            for number, item in enumerate(items):
                path = folder / str(number)
                _write(path, (work, item))
                pending.append((crew.submit(_work, path), path))
                if len(pending) > 2 * workers:
                    yield _result(*pending.popleft())
            while pending:
                yield _result(*pending.popleft())
        finally:
            crew.close()


def _work(path: Path) -> None:
    work, item = _taken(path)
    _write(path, work(item))


def _result(done: Future[None], path: Path) -> Any:
    result_of(done)
    return _taken(path)


def _write(path: Path, content: object) -> None:
    with path.open("wb") as file:
        pickle.dump(content, file, pickle.HIGHEST_PROTOCOL)


def _taken(path: Path) -> Any:
    """Return the content of a file, and remove the file."""
    with path.open("rb") as file:
        content = pickle.load(file)
    path.unlink()
    return content


class _Process(SpawnProcess):
    """A process whose start cannot be interrupted, and that ignores Ctrl-C in a terminal."""

    def start(self) -> None:
        """Start the process in a thread with SIGINT blocked, where Ctrl-C cannot interrupt it."""
        with ThreadPoolExecutor(1, initializer=block, initargs=([signal.SIGINT],)) as thread:
            thread.submit(super().start).result()


class _Context(SpawnContext):
    """Creates the processes of a pool and keeps a list of them."""

    def __init__(self) -> None:
        super().__init__()
        self.crew: list[BaseProcess] = []

    def Process(self, *given: Any, **named: Any) -> BaseProcess:  # type: ignore[override]  # noqa: N802
        """Return a process that the pool will start."""
        self.crew.append(_Process(*given, **named))
        return self.crew[-1]


def _end_with_parent() -> None:
    """Leave Ctrl-C to the parent, and end this worker as soon as the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Windows cannot block it
    threading.Thread(target=_end_after, args=(parent_process(),), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signals("SIGKILL", "SIGTERM")[0])
