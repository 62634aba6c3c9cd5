"""How long a change of an index takes, stage by stage, with whatever parts it has.

`python -m benchmarks.changing INDEX CORPUS` copies INDEX, of the JSON Lines file CORPUS, beside
itself, adds DOCUMENTS of the corpus' from everywhere with other ids, every second with the words
of its premises turned round, and removes them again: seconds by the clock and of processors. The
first fingerprint has to come back.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from argsearch.indexer.build.changing import add, remove
from argsearch.indexer.format import manifest as manifests
from benchmarks.jobs import CHANGED, processor_seconds
from benchmarks.plan import WORKERS

SEED = 7
Spent = dict[str, list[float]]
"""Seconds by the clock and of processors, of each stage."""


def turned(line: str, number: int) -> dict[str, Any]:
    """A document of the corpus as a new one."""
    document: dict[str, Any] = orjson.loads(line) | {"id": f"new-{number}"}
    for premise in document["premises"] if number % 2 else ():
        premise["text"] = " ".join(reversed(premise["text"].split(" ")))
    return document


class Stages:
    """Tells how long each stage takes; stands for a progress."""

    def __init__(self) -> None:
        self.spent: Spent = {}
        self._stage, self._since = "start", (time.perf_counter(), processor_seconds())

    def __call__(self, stage: str, _done: int, _of: int | None = None) -> None:
        """A stage has come so far."""
        if stage != self._stage:
            now = time.perf_counter(), processor_seconds()
            before = self.spent.get(self._stage, [0.0, 0.0])
            self.spent[self._stage] = [
                x + n - s for x, n, s in zip(before, now, self._since, strict=True)
            ]
            self._stage, self._since = stage, now


def main(index: Path, corpus: Path) -> None:
    """Measure both changes and say what they took."""
    folder = index.with_name(f"{index.name}.changed")
    shutil.copytree(index, folder, dirs_exist_ok=False)
    more = folder.with_suffix(".jsonl")
    try:
        drawn = random.Random(SEED).sample(corpus.read_text("utf-8").splitlines(), CHANGED)
        new = [turned(line, number) for number, line in enumerate(drawn)]
        more.write_bytes(b"\n".join(map(orjson.dumps, new)))
        first = manifests.read(folder)["fingerprint"]
        changes = {
            "added": partial(add, folder, [more]),
            "removed": partial(remove, folder, [one["id"] for one in new]),
        }
        for what, change in changes.items():
            stages = Stages()
            report = change(workers=WORKERS, progress=stages)
            stages("end", 0)
            wall, cpu = map(sum, zip(*stages.spent.values(), strict=True))
            print(f"{what}: {wall:.0f} s, {cpu:.0f} of processors")
            for stage, (seconds, work) in stages.spent.items():
                print(f"  {stage}: {seconds:.1f} ({work:.1f})")
        if report.fingerprint != first:
            raise SystemExit(f"the fingerprint was {first} and is {report.fingerprint}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        more.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
