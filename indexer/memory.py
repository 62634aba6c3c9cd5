"""Compares the memory limits of this process with the least memory that a build needs."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePath

from argsearch.indexer.platform import optional, processors
from argsearch.indexer.staging import BuildFailed

MIB = 1 << 20
# With less address space, OpenBLAS requests it again and again for ever while scipy is imported,
# and the process ignores all signals.
BASE_ADDRESS_BYTES = 1100 * MIB
"""Address space that a build on two cores needs."""
CORE_ADDRESS_BYTES = 64 * MIB
"""Address space that OpenBLAS needs for each additional core."""
MOST_BLAS_THREADS = 64
RESIDENT = 160 * MIB
"""Private memory, in bytes, of the smallest build with the default encoder."""
_resource = optional("resource")
CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUPS = Path("/proc/self/cgroup")


def group_limits(groups: Path, own: Path) -> dict[Path, int]:
    """Return the memory limits of a process's cgroups and their parents, in bytes by file.

    Cgroups are mounted at `groups`. The file `own` lists the cgroups of the process, as `0::/path`
    in version 2 and `4:memory:/path` in version 1.
    """
    found: dict[Path, int] = {}
    with suppress(OSError):
        for line in own.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            top = groups / "memory" if controllers else groups
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            group = PurePath(path.lstrip("/"))
            for folder in (group, *group.parents):
                # The file may be missing or contain `max`.
                with suppress(OSError, ValueError):
                    found[top / folder / name] = int((top / folder / name).read_text())
    return found


def check_memory() -> None:
    """Raise BuildFailed if a memory limit is below what any build needs."""
    used = min(processors(), MOST_BLAS_THREADS)
    with suppress(KeyError, ValueError):
        used = min(used, int(os.environ["OPENBLAS_NUM_THREADS"]))
    soft = _resource.getrlimit(_resource.RLIMIT_AS)[0] if _resource else -1  # Windows has no limit
    needed = BASE_ADDRESS_BYTES + CORE_ADDRESS_BYTES * max(0, used - 2)
    limits = {"address-space limit (ulimit -v)": (soft, needed)}
    for path, limit in group_limits(CGROUPS, OWN_CGROUPS).items():
        limits[f"memory limit ({path})"] = limit, RESIDENT
    for name, (limit, needed) in limits.items():
        if 0 <= limit < needed:
            raise BuildFailed(
                f"the {name} must be at least {needed // MIB:,} MiB for a build (more for a large "
                f"corpus), not {limit // MIB:,} MiB; raise it, then run the same command again"
            )
