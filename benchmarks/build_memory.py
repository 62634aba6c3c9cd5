"""How much memory a build takes, stage by stage.

`python -m benchmarks.build_memory OUT [DOCUMENTS]` builds an index of forum posts (more than there
are: all of them again under fresh ids) in OUT with the default's parts, and prints the most that
its processes had, together, in each stage: resident (mapped files too, shared pages once) and, of
that, what is no file's.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from argsearch.engine.config import load_config
from argsearch.indexer.build.build import BuildRequest, build
from benchmarks import corpora
from benchmarks.jobs import MIB
from benchmarks.measuring import say
from benchmarks.plan import WORKERS
from tests.processes import descendants, memory_of

PAUSE = 0.25
"""Seconds from one look to the next."""
COUNTED = {"Pss": "resident", "Pss_Anon": "no file's"}


def held(processes: Iterable[int]) -> dict[str, int]:
    """Bytes of each of COUNTED, of all processes."""
    total = dict.fromkeys(COUNTED, 0)
    for process in processes:
        with suppress(OSError):  # it ended
            kib = memory_of(process)
            for kind in total:
                total[kind] += kib[kind] << 10
    return total


class Watch(threading.Thread):
    """Looks at the memory of this process and its workers; the most of each stage."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most: dict[str, dict[str, int]] = {}
        self.stage = "start"

    def run(self) -> None:
        """Look until this process ends."""
        while True:
            most = self.most.setdefault(self.stage, dict.fromkeys(COUNTED, 0))
            for kind, size in held({os.getpid(), *descendants(os.getpid())}).items():
                most[kind] = max(most[kind], size)
            time.sleep(PAUSE)

    def progress(self, stage: str, _done: int, _of: int | None = None) -> None:
        """Be told of a stage by the build."""
        self.stage = stage


def main(out: Path, documents: int = 390_704) -> None:
    """Build, and say what was seen."""
    corpus, settings = corpora.posts(documents), load_config("default").index
    watch, begun = Watch(), time.perf_counter()
    watch.start()
    request = BuildRequest([str(corpus)], out, settings, workers=WORKERS)
    report = build(request, watch.progress)
    say(f"{report.counts['documents']:,} documents, {time.perf_counter() - begun:.0f} s")
    for stage, most in watch.most.items():
        sizes = (f"{size / MIB:,.0f} MiB {COUNTED[kind]}" for kind, size in most.items())
        say(f"{stage}: {', '.join(sizes)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
