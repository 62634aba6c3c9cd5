"""Work shared out among processes, its results in order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

from indexer.errors import ArgsearchError
from indexer.lifeline import begin

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerEnded(ArgsearchError):
    """A worker process of a build ended before its work was done."""


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
    with ProcessPoolExecutor(workers, get_context("spawn"), begin, first) as pool:
        try:
            yield from _results(partial(_submit, pool, work), items, 2 * workers)
        except BrokenProcessPool as error:
            raise WorkerEnded(
                "a process of the build ended before its work was done (killed, or there is too "
                "little memory); run it again with fewer --workers"
            ) from error
        except BaseException:
            for process in list(pool._processes.values()):
                process.kill()  # or leaving the pool would wait for the work that it has
            raise


def _submit(pool: ProcessPoolExecutor, *work: Any) -> Future[Any]:
    """Give work to the pool, which may start a process for it: Ctrl-C is not for that one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        return pool.submit(*work)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
