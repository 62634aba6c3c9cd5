"""The published tables of the five systems made again, and held to docs/reproduction.md.

    python -m studies.reproduce [SYSTEM…] [--only TABLE…] [--quick] [--write] [--resume]

Without `--write` every table is made and compared with the page; a number that moved beyond its
table's tolerance is named, with what it was and what it is, and the command fails. With `--write`
the page takes the tables, each as soon as it is made. What takes long to train is kept in
`.cache/reproduce` until the next run; `--resume` takes it over. The data is in `--data`, or where
ARGSEARCH_DATA says. H21 needs the extra `use`; `--quick` none.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from studies.reproduce.table import KEPT, Page, Table, moved

HERE = Path(__file__).parent
SYSTEMS = tuple(sorted(path.stem for path in HERE.glob("[a-z][0-9][0-9].py")))
PAGE = HERE.parents[1] / "docs" / "reproduction.md"


def tables(system: str, data: Path, quick: bool) -> Iterator[Table]:
    """Yield the tables of one system."""
    module = import_module(f"studies.reproduce.{system}")
    yield from module.tables(data, quick)


def remake(system: str, args: argparse.Namespace, page: Page) -> list[str]:
    """Make a system's tables, and return a line for each value that moved."""
    if not (args.quick or args.resume):
        shutil.rmtree(KEPT / system, ignore_errors=True)
    found, made = [], list(tables(system, args.data, args.quick))
    names = [table.name for table in made]
    for table in made:
        if args.only and table.name not in args.only:
            continue
        if table.needs and find_spec(table.needs) is None:
            print(f"{system} {table.name}: left out, {table.needs} is missing", file=sys.stderr)
            continue
        begun = time.monotonic()
        rows = table.rows()
        print(table.block(system, rows), end="\n\n", flush=True)
        took = f"{time.monotonic() - begun:.0f} s"
        if args.write:
            page.write(system, table, rows)
            page.keep(system, [name for name in names if name in page.blocks(system)])
        changes = moved(table, page.rows(system, table.name), rows, not args.quick)
        found += [f"{system} {line}" for line in changes]
        print(f"{system} {table.name}: {len(changes)} changes, {took}", file=sys.stderr, flush=True)
    if not args.quick:
        left = [name for name in page.blocks(system) if name not in names]
        found += [f"{system} {name}: on the page, but not made" for name in left]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return 0 if nothing moved, and 1 if something moved."""
    parser = argparse.ArgumentParser(prog="studies.reproduce", description=__doc__)
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help=", ".join(SYSTEMS))
    parser.add_argument("--only", nargs="+", default=(), metavar="TABLE")
    parser.add_argument("--quick", action="store_true", help="what takes seconds")
    parser.add_argument("--write", action="store_true", help="onto the page")
    parser.add_argument("--resume", action="store_true", help="with what an earlier run made")
    parser.add_argument("--data", type=Path, default=os.environ.get("ARGSEARCH_DATA"))
    parser.add_argument("--page", type=Path, default=PAGE)
    args = parser.parse_args(arguments)
    if unknown := set(args.systems) - set(SYSTEMS):
        parser.error(f"no system {min(unknown)!r}; there are {', '.join(SYSTEMS)}")
    if args.write and args.quick:
        parser.error("--write takes whole tables; leave --quick out")
    if args.data is None:
        parser.error("no folder of data; name it with --data or ARGSEARCH_DATA")
    os.environ["ARGSEARCH_DATA"] = str(args.data)
    page = Page(args.page)
    changes = [line for one in args.systems or SYSTEMS for line in remake(one, args, page)]
    print("\n".join(changes) or "nothing moved", file=sys.stderr)
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
