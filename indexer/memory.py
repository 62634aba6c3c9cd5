"""The memory that a build needs at the least, held against the limits it runs under."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

from argsearch.indexer.staging import BuildFailed

MIB = 1 << 20
ADDRESSES, A_CORE, THREADS = 1100 * MIB, 64 * MIB, 64
"""Address space for two cores, and for each further one that OpenBLAS uses. With less it asks for
it again and again as scipy is imported, for ever, and no signal is followed meanwhile."""
RESIDENT = 160 * MIB
"""Memory of its own that the smallest build with the default's encoder has."""
CGROUPS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def check_memory() -> None:
    """Raise BuildFailed where a limit leaves less than any build needs."""
    cores = min(len(os.sched_getaffinity(0)), THREADS)
    with suppress(KeyError, ValueError):
        cores = min(cores, int(os.environ["OPENBLAS_NUM_THREADS"]))
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    limits = {"limit of address space (ulimit -v)": (soft, ADDRESSES + A_CORE * max(0, cores - 2))}
    for path in CGROUPS:
        with suppress(OSError, ValueError):  # not there, or `max`
            limits[f"limit of memory ({path})"] = int(path.read_text()), RESIDENT
    for name, (limit, needed) in limits.items():
        if 0 <= limit < needed:
            raise BuildFailed(
                f"the {name} is {limit // MIB:,} MiB; a build needs {needed // MIB:,} MiB and, of "
                "a large corpus, more; raise it, then run the same command again"
            )
