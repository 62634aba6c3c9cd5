"""Work in processes: the results in order, and no waiting for one that has gone."""

import os
import signal
import time
from functools import partial

import pytest

from argsearch.indexer.processes import WorkerEnded, Workers, in_order
from tests.processes import eventually, spawned

pytestmark = pytest.mark.processes
BIG = 30_000_000
"""Bytes of a result: more than a connection holds, so that it is sent in many pieces."""


def told(item):
    return item, os.getpid()


def after_another(folder, item):
    """The first ends when another has."""
    if item:
        (folder / str(item)).touch()
    else:
        assert eventually(lambda: any(folder.iterdir()))
    return item


def big(_item):
    return bytes(BIG)


def dies(item):
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return big(item)


def fails(item):
    if item == 2:
        raise FileNotFoundError(2, "no such", "place")
    return item


def unsendable(_item):
    return lambda: None


def children():
    """Not a browser of another test, which starts processes when it likes."""
    return spawned(os.getpid())


@pytest.fixture(autouse=True)
def no_process_stays():
    list(in_order(abs, [1], 2))  # starts what watches over resources
    before = children()
    yield
    assert eventually(lambda: children() <= before)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_order(tmp_path, workers):
    work = abs if workers == 1 else partial(after_another, tmp_path)
    assert list(in_order(work, range(20), workers)) == list(range(20))
    assert list(in_order(work, [], workers)) == []


def test_the_work_is_that_of_other_processes():
    found = list(in_order(told, range(8), 2))
    assert [item for item, _ in found] == list(range(8))
    assert os.getpid() not in {pid for _, pid in found}


def test_no_more_is_read_than_is_worked_on():
    read = []
    items = (read.append(i) or i for i in range(100))
    results = in_order(abs, items, 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    assert len(read) == 7
    results.close()


def test_what_a_process_raises_is_raised_here_and_says_where():
    results = in_order(fails, range(5), 2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(FileNotFoundError, match="place") as error:
        next(results)
    assert "in fails" in str(error.value.__cause__)


def test_what_cannot_be_given_or_sent_back_is_an_error():
    with pytest.raises(Exception, match="pickle"):
        list(in_order(abs, [lambda: None], 2))
    with pytest.raises(Exception, match="pickle"):
        list(in_order(unsendable, [1], 2))


def test_a_process_that_is_killed_is_told():
    with pytest.raises(WorkerEnded, match="fewer --workers"):
        list(in_order(dies, range(9), 2))


def test_work_that_is_killed_ends_and_nothing_is_taken_after():
    before, crew = children(), Workers()
    try:
        waiting = crew.submit(time.sleep, 60)
        assert eventually(lambda: children() > before and waiting.running())
    finally:
        crew.close()
    assert children() <= before, "none has anything open any more"
    assert isinstance(waiting.exception(), Exception)
    with pytest.raises(WorkerEnded):
        crew.do(abs, 1)


@pytest.mark.slow
def test_a_process_killed_as_it_answers_is_told():
    """A pool that sends its results through a pipe hangs in half of these cases."""
    before = children()
    results = in_order(big, range(40), 2)
    next(results)
    os.kill(max(children() - before), signal.SIGKILL)
    with pytest.raises(WorkerEnded):
        list(results)
