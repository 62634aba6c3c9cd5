"""Work shared out among processes, its results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int,
    start: Callable[..., None] | None = None,
    given: tuple[Any, ...] = (),
) -> Iterator[Result]:
    """`work` of every item, in their order; `workers` processes, or none beside this one for 1.

    `start(*given)` is called once in each process before any work.
    """
    if workers == 1:
        if start is not None:
            start(*given)
        yield from map(work, items)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), start, given) as pool:
        pending: list[Future[Result]] = []
        for item in items:
            pending.append(pool.submit(work, item))
            if len(pending) > 2 * workers:
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()
