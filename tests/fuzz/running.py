"""Many changed files given to one reader: `python -m tests.fuzz.running NAME COUNT [SEED]`.

Each ends in what was read or in one clear line (ArgsearchError), within SECONDS, and with at most
ROOM more memory than the process had before. Anything else is said, with the file that did it.
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
from pathlib import Path
from random import Random

from argsearch.indexer.errors import ArgsearchError
from tests.fuzz.mutations import several
from tests.fuzz.targets import TARGETS, Target

SECONDS = 10
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
    target, done = TARGETS[name], Counter[str]()
    seeds = target.seeds()
    with tempfile.TemporaryDirectory(prefix="argsearch-fuzz-") as folder:
        path = Path(folder) / f"changed{target.suffix}"
        for data in seeds:
            path.write_bytes(gzip.compress(data) if target.suffix.endswith(".gz") else data)
            target.read(path)  # sound, and all that it needs is loaded
        _limit()
        for number in range(count):
            random = Random(f"{seed} {name} {number}")
            changed = several(target.mutations, random.choice(seeds), random)
            path.write_bytes(target.finish(changed, random))
            found = outcome(target, path)
            known = found if found in ("read", "refused") else "failed"
            done[known] += 1
            if known == "failed" and done[known] <= 20:
                kept = keep / f"{name}-{seed}-{number}{target.suffix}"
                keep.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, kept)
                print(f"--- {kept}\n{found}", flush=True)
    return done


def main(arguments: list[str]) -> int:
    """1 where anything failed."""
    name, count, seed = arguments[0], int(arguments[1]), int((*arguments[2:], "0")[0])
    warnings.simplefilter("ignore")
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
