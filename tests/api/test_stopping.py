"""Ctrl-C and SIGTERM stop a command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from argsearch.api.cli import main
from argsearch.api.cli.stopping import Stopping
from tests.processes import PATIENCE


def met(by):
    os.kill(os.getpid(), by)
    return sum(range(9))


def test_sigterm_sent_twice_leaves_the_cleaning_up_alone(monkeypatch):
    monkeypatch.setattr("argsearch.api.cli.stopping.SAME_SIGNAL_SECONDS", 600.0)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with Stopping() as stopping:
            with pytest.raises(KeyboardInterrupt):
                met(signal.SIGTERM)
            met(signal.SIGTERM)
        assert stopping.terminated
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_handler_is_that_of_before_where_no_signal_came():
    before = signal.getsignal(signal.SIGTERM)
    with Stopping() as stopping:
        assert signal.getsignal(signal.SIGTERM) is not before
    assert not stopping.terminated
    assert signal.getsignal(signal.SIGTERM) is before


def test_in_another_thread_nothing_is_changed():
    found = []

    def run():
        with Stopping():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]


def test_a_signal_met_as_a_failure_is_told(monkeypatch, capsys):
    def fails(_):
        raise RuntimeError

    def report(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "application", fails)
    monkeypatch.setattr(main, "_report", report)
    assert main.run(["index"]) == main.EXIT_INTERRUPTED
    assert capsys.readouterr().err == "stopped by Ctrl-C\n"


@pytest.mark.processes
@pytest.mark.parametrize("asked", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_tools_stop_though_their_input_stays_open(by, asked, awkward_index):
    """A thread waits for that input; before and after the first message, nobody waits for it."""
    pytest.importorskip("mcp", reason="install the extra mcp")
    command = [sys.executable, "-m", "argsearch", "mcp", "--index", str(awkward_index)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            assert process.stderr.readline() == "serving tools for 66 arguments\n"
            if asked:
                process.stdin.write('{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n')
                process.stdin.flush()
                assert '"id":7' in process.stdout.readline()
            process.send_signal(by)
            assert process.wait(PATIENCE) == -by
        finally:
            process.kill()
