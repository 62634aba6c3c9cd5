"""Ctrl-C and SIGTERM wherever they meet a command."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from argsearch.api.cli import main
from argsearch.api.cli.stopping import Stopping
from argsearch.indexer.processes import WorkerEnded

BOTH = pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])


@pytest.fixture(autouse=True)
def _as_before(monkeypatch):
    """However long this machine halts a test, and whatever a command leaves behind it."""
    monkeypatch.setattr("argsearch.api.cli.stopping.PATIENCE", 600.0)
    monkeypatch.setattr("argsearch.api.cli.stopping.ONCE", 600.0)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    before = [signal.getsignal(one) for one in signals], sys.unraisablehook
    yield
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    for one, handler in zip(signals, before[0], strict=True):
        signal.signal(one, handler)
    sys.unraisablehook = before[1]


class Meets:
    """An object whose end is met by a signal."""

    def __init__(self, by):
        self.by = by

    def __del__(self):
        met(self.by)


def met(by):
    os.kill(os.getpid(), by)
    return sum(range(9))


def at_the_end_of_an_object(by):
    Meets(by)


def in_what_c_calls(by):
    ctypes.CFUNCTYPE(ctypes.c_int)(lambda: met(by))()


def work():
    for _ in range(200):
        time.sleep(0.01)


HOLDS_THE_LOCK = """
import itertools
from contextlib import suppress
from argsearch.api.cli.stopping import Stopping
with Stopping() as stopping:
    stopping.oversee(0.1)
    words = ["ready"]
    while True:  # also where the signal comes before the sum
        with suppress(KeyboardInterrupt):
            if words:
                print(words.pop(), flush=True)
            sum(itertools.repeat(1))
"""
FOLLOWS = """
import time
from argsearch.api.cli.stopping import Stopping
with Stopping() as stopping:
    stopping.oversee(600)
    try:
        print("ready", flush=True)
        while True:  # a signal just before a sleep does not end it
            time.sleep(0.05)
    except KeyboardInterrupt:
        print("followed")
"""


@pytest.mark.processes
@BOTH
@pytest.mark.parametrize(
    ("program", "code", "said"), [(HOLDS_THE_LOCK, -9, ""), (FOLLOWS, 0, "followed\n")]
)
def test_what_is_overseen_ends_after_a_signal(by, program, code, said):
    command = [sys.executable, "-c", program]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(by)
            data, messages = process.communicate(timeout=300)
        finally:
            process.kill()
    assert (process.returncode, data) == (code, said)
    assert ("did not stop within 0.1 s of a signal and was killed" in messages) == (code != 0)


@BOTH
@pytest.mark.parametrize("where", [at_the_end_of_an_object, in_what_c_calls])
def test_what_is_dropped_comes_once_more(by, where, capfd):
    with Stopping() as stopping, pytest.raises(KeyboardInterrupt):
        where(by)
        work()
    assert stopping.terminated == (by == signal.SIGTERM)
    assert capfd.readouterr().err == ""


def test_sigterm_sent_twice_leaves_the_cleaning_up_alone():
    with Stopping() as stopping:
        with pytest.raises(KeyboardInterrupt):
            met(signal.SIGTERM)
        met(signal.SIGTERM)
    assert stopping.terminated


def test_other_errors_that_are_dropped_are_told_as_before(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: told.append(what.exc_type))

    class Fails:
        def __del__(self):
            raise LookupError

    with Stopping():
        Fails()
    Fails()
    assert told == [LookupError, LookupError]


def test_in_another_thread_nothing_is_changed():
    handlers = []

    def run():
        with Stopping():
            handlers.append((signal.getsignal(signal.SIGTERM), sys.unraisablehook))

    before = (signal.getsignal(signal.SIGTERM), sys.unraisablehook)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert handlers == [before]


def handlers():
    return [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGALRM)], sys.unraisablehook


@BOTH
@pytest.mark.parametrize("moment", ["before", "in", "after"])
def test_the_handlers_are_those_of_before_at_the_end(by, moment, monkeypatch):
    monkeypatch.setattr("argsearch.api.cli.stopping.AGAIN", 60.0)
    before = handlers(), signal.getsignal(signal.SIGTERM)
    with Stopping() as stopping:
        if moment == "in":
            with pytest.raises(KeyboardInterrupt):
                met(by)
        if moment == "after":
            Meets(by)
            assert stopping.take()
            assert not stopping.take()
            stopping.end()
            met(by)  # raises nothing any more
    stopped = moment != "before" and by == signal.SIGTERM
    assert (handlers(), signal.getsignal(signal.SIGTERM)) == (
        before[0],
        signal.SIG_IGN if stopped else before[1],
    )
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


MET = """
import os, signal
try:
    os.kill(os.getpid(), signal.{by})
    sum(range(9))
except BaseException:
    pass  # as some libraries do
whole = True
"""
LONG = """
import os, signal, time
os.kill(os.getpid(), signal.{by})
while True:
    time.sleep(0.01)
"""

TWICE = """
import os, signal
for _ in range(2):
    os.kill(os.getpid(), signal.{by})
"""


def library(folder, monkeypatch, text, by):
    (folder / "met_by_a_signal.py").write_text(text.format(by=by.name))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "met_by_a_signal", raising=False)


@BOTH
def test_a_signal_waits_for_an_import_to_end(by, tmp_path, monkeypatch):
    library(tmp_path, monkeypatch, MET, by)
    with Stopping() as stopping, pytest.raises(KeyboardInterrupt):
        importlib.import_module("met_by_a_signal")
        work()
    assert sys.modules["met_by_a_signal"].whole
    assert stopping.terminated == (by == signal.SIGTERM)


@pytest.mark.thorough
@BOTH
def test_it_does_not_wait_for_ever(by, tmp_path, monkeypatch):
    monkeypatch.setattr("argsearch.api.cli.stopping.PATIENCE", 0.5)
    library(tmp_path, monkeypatch, LONG, by)
    with Stopping(), pytest.raises(KeyboardInterrupt):
        importlib.import_module("met_by_a_signal")
    assert "met_by_a_signal" not in sys.modules


def test_a_signal_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Stopping():
            met(signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_fails_because_of_a_signal_is_no_failure(monkeypatch, capsys):
    def command(_):
        def call(**_):
            Meets(signal.SIGTERM)
            raise WorkerEnded("a process of the build ended")

        return call

    monkeypatch.setattr(main, "application", command)
    assert main.run(["index"]) == main.TERMINATED
    assert capsys.readouterr().err == "stopped by SIGTERM\n"


def test_what_is_pressed_twice_does_not_wait(tmp_path, monkeypatch):
    twice = (
        "import os, signal\nfor _ in range(2):\n    os.kill(os.getpid(), signal.{by})\nwhole = True"
    )
    library(tmp_path, monkeypatch, twice, signal.SIGINT)
    with Stopping(), pytest.raises(KeyboardInterrupt):
        importlib.import_module("met_by_a_signal")
    assert "met_by_a_signal" not in sys.modules


def test_a_signal_met_as_a_failure_is_told(monkeypatch, capsys):
    def fails(_):
        raise RuntimeError

    def report(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "application", fails)
    monkeypatch.setattr(main, "_report", report)
    assert main.run(["index"]) == main.INTERRUPTED
    assert capsys.readouterr().err == "stopped by Ctrl-C\n"


@pytest.mark.processes
@BOTH
def test_a_thread_that_reads_is_not_waited_for(by, tmp_path):
    reads = """
        import sys, threading, time
        from argsearch.api.cli import main
        def command(_):
            def call(**_):
                threading.Thread(target=sys.stdin.buffer.raw.read, args=(1,)).start()
                print("reading", flush=True)
                while True:  # a signal just before a sleep does not end it
                    time.sleep(0.05)
            return call
        main.application = command
        main.main()
    """
    command = [sys.executable, "-c", textwrap.dedent(reads)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"reading\n"
        process.send_signal(by)
        try:
            assert process.wait(300) == 128 + by
            assert process.stderr.read().startswith(b"stopped by ")
        finally:
            process.kill()
