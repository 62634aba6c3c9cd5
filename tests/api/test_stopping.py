"""Ctrl-C and SIGTERM wherever they meet a command."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import sys
import threading
import time

import pytest

from api.cli import main
from api.cli.stopping import PATIENCE, Stopping
from indexer.processes import WorkerEnded

BOTH = pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])


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


@BOTH
def test_the_handlers_are_those_of_before_at_the_end(by):
    before = signal.getsignal(by), sys.unraisablehook
    with Stopping():
        pass
    assert (signal.getsignal(by), sys.unraisablehook) == before


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
for _ in range(1000):
    time.sleep(0.01)  # ten seconds in all
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
    assert stopping.awaited is None
    assert stopping.terminated == (by == signal.SIGTERM)


@BOTH
def test_it_does_not_wait_for_ever(by, tmp_path, monkeypatch):
    library(tmp_path, monkeypatch, LONG, by)
    began = time.monotonic()
    with Stopping(), pytest.raises(KeyboardInterrupt):
        importlib.import_module("met_by_a_signal")
    assert PATIENCE <= time.monotonic() - began < 9.0


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
