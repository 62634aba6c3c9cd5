"""A process beside a command that ends it where a signal to stop is not followed.

Code in C can hold Python's lock for ever (OpenBLAS does without memory), and then no handler runs;
but Python writes each signal's number to a pipe at once, which is this process' standard input.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

STOPS = frozenset({signal.SIGINT, signal.SIGTERM})


def oversee(process: int, seconds: float) -> None:
    """Kill the process so many seconds after a signal to stop; return where it ends before."""
    until = None
    while select.select([0], [], [], until and max(0.0, until - time.monotonic()))[0]:
        came = os.read(0, 4096)
        if not came:
            return
        if until is None and STOPS & set(came):
            until = time.monotonic() + seconds
    said = f"error: the build did not stop within {seconds:g} s of a signal and was killed; "
    print(said + "what it left is removed by the next one", file=sys.stderr)
    os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    oversee(int(sys.argv[1]), float(sys.argv[2]))
