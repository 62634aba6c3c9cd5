"""Many changed files given to one reader: `python -m tests.fuzz.running NAME COUNT [SEED]`.

Each ends in what was read or in one clear line (ArgsearchError), within SECONDS, and with at most
ROOM more memory than the process had before. Anything else is said, with the file that did it: also
that the reader's process ended, for which it has one of its own, and the next file another.
"""

from __future__ import annotations

import gzip
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from argsearch.indexer.errors import ArgsearchError
from tests.fuzz.mutations import several
from tests.fuzz.targets import TARGETS, Target

SECONDS = 60
LOADING = 60
"""Seconds within which a reader has read what is sound."""
FORK = get_context("fork")
ROOM = 1 << 30
"""Bytes of address space."""
LONGEST = 2000
"""Characters of a line that says what is wrong."""


class TooSlow(BaseException):
    """A reader that did not come to an end."""


def _late(*_: object) -> None:
    raise TooSlow


def outcome(target: Target, path: Path) -> str:
    """`read`, `refused`, or what went wrong."""
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        target.read(path)
        return "read"
    except ArgsearchError as error:
        line = str(error)
        if line.startswith("unexpected"):
            return line
        if not line or len(line) > LONGEST or not line.isprintable():
            return f"a line of {len(line)} characters, or unprintable: {line[:200]!r}"
        return "refused"
    except KeyboardInterrupt:
        raise
    except TooSlow:
        return f"not done in {SECONDS} seconds"
    except BaseException:
        return traceback.format_exc(limit=-3)
    finally:
        signal.alarm(0)


def _limit() -> None:
    """Let the process take ROOM more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def fuzz(name: str, count: int, seed: int, keep: Path) -> Counter[str]:
    """How often a reader did what; each thing that goes wrong is kept in a file in `keep`."""
    done = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="argsearch-fuzz-") as folder:
        keeping = Keeping(Path(folder) / f"changed{TARGETS[name].suffix}", keep / f"{name}-{seed}")
        while (first := done.total()) < count:
            ours, theirs = FORK.Pipe(duplex=False)
            reader = FORK.Process(
                target=read_all, args=(theirs, name, range(first, count), seed, keeping)
            )
            reader.start()
            theirs.close()
            if not ours.poll(LOADING) or ours.recv() != "ready":
                raise RuntimeError(f"{name} cannot read a sound file")
            with suppress(EOFError):
                while True:
                    done[ours.recv()] += 1
            reader.join()
            if reader.exitcode:
                keeping.keep(f"its process ended with {reader.exitcode}", done.total())
                done["failed"] += 1
    return done


@dataclass
class Keeping:
    """Where the changed file lies, and where those are kept that went wrong."""

    path: Path
    prefix: Path
    kept: int = 0

    def keep(self, found: str, number: int) -> None:
        """Keep the file, the number-th, and say what came of it."""
        self.kept += 1
        if self.kept <= 20:
            kept = self.prefix.with_name(f"{self.prefix.name}-{number}{self.path.suffix}")
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.path, kept)
            print(f"--- {kept}\n{found}", flush=True)


def read_all(told: Connection, name: str, numbers: range, seed: int, keeping: Keeping) -> None:
    """Read each changed file in turn, and tell what came of it."""
    warnings.simplefilter("ignore")
    target, path = TARGETS[name], keeping.path
    seeds = target.seeds()
    for data in seeds:
        path.write_bytes(gzip.compress(data) if target.suffix.endswith(".gz") else data)
        target.read(path)  # sound, and all that it needs is loaded
    _limit()
    told.send("ready")
    for number in numbers:
        random = Random(f"{seed} {name} {number}")
        changed = several(target.mutations, random.choice(seeds), random)
        path.write_bytes(target.finish(changed, random))
        found = outcome(target, path)
        if found not in ("read", "refused"):
            keeping.keep(found, number)
            found = "failed"
        told.send(found)


def main(arguments: list[str]) -> int:
    """1 where anything failed."""
    name, count, seed = arguments[0], int(arguments[1]), int((*arguments[2:], "0")[0])
    begun = time.perf_counter()
    names = list(TARGETS) if name == "all" else [name]
    failed = 0
    for one in names:
        done = fuzz(one, count, seed, Path(".cache/fuzz"))
        failed += done["failed"]
        seconds = time.perf_counter() - begun
        print(f"{one}: {dict(done)}, {seconds:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
