"""The memory that a build needs at the least, held against the limits it runs under."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

from argsearch.indexer.staging import BuildFailed

MIB = 1 << 20
ADDRESSES, A_CORE = 1024 * MIB, 64 * MIB
"""Address space for two cores, and for each further one. With less, OpenBLAS asks for it again and
again as scipy is imported, for ever, and no signal is followed meanwhile."""
RESIDENT = 384 * MIB
"""Memory in use at the end of the smallest build."""
CGROUPS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def check_memory() -> None:
    """Raise BuildFailed where a limit leaves less than any build needs."""
    cores = len(os.sched_getaffinity(0))
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
