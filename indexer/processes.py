"""Work shared out among processes, its results in order."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any, TypeVar

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.lifeline import begin, start_worker

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerEnded(ArgsearchError):
    """A worker process of a build ended before its work was done."""


class Worker:
    """A process that is given one piece of work after the other.

    It has a connection of its own, of which this process does not hold the other end: whenever it
    is killed, even halfway through a result, a reader is told. (The processes of a
    `ProcessPoolExecutor` share one; a result that is never finished halts it for good.)
    """

    def __init__(self, first: tuple[Any, ...]) -> None:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *first), daemon=True)
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

    def kill(self) -> None:
        """End the process now, whatever it does; who waits for it is told."""
        self._process.kill()

    def close(self) -> None:
        """Wait for a process that was killed, and close the connection to it."""
        self._process.join()
        self._process.close()
        self._connection.close()


def _serve(connection: Connection, *first: Any) -> None:
    """What a worker process does: piece after piece, until nobody is there to ask."""
    begin(*first)
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
    work: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int,
    start: tuple[Callable[..., None], tuple[Any, ...]] | None = None,
) -> Iterator[Result]:
    """`work` of every item, in their order; `workers` processes, or none beside this one for 1.

    start: a function of a module and its arguments, called once in each process before any work.
    A process ends with this one, however that ends. Raises WorkerEnded when one ends before.
    """
    if workers == 1:
        if start is not None:
            start[0](*start[1])
        yield from map(work, items)
        return
    first = (start[0].__module__, start[0].__name__, *start[1]) if start else ()
    crew: list[Worker] = []
    idle: SimpleQueue[Worker] = SimpleQueue()
    threads = ThreadPoolExecutor(workers)  # each waits for one process
    try:
        for _ in range(workers):
            crew.append(Worker(first))
            idle.put(crew[-1])
        by_one = partial(_by_one_of, idle, work)
        yield from _results(lambda item: threads.submit(by_one, item), items, 2 * workers)
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


def _results(
    submit: Callable[[Item], Future[Result]], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    pending: list[Future[Result]] = []
    for item in items:
        pending.append(submit(item))
        if len(pending) > ahead:
            yield pending.pop(0).result()
    for future in pending:
        yield future.result()
