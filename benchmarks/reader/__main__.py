"""What a reader gets, judged by hand: docs/reader.md.

python -m benchmarks.reader lists  --index argsme-index --out lists.json
python -m benchmarks.reader judge  --lists lists.json --labels labels.tsv
python -m benchmarks.reader sheet  --lists lists.json --out 'sheet-*.txt' --parts 4
python -m benchmarks.reader counts --lists lists.json --labels labels.tsv
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.reader import counting, sheets
from benchmarks.reader.judging import serve
from benchmarks.reader.labels import read
from benchmarks.reader.lists import Lists, make, questions
from engine import Engine
from indexer.errors import ArgsearchError


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.reader", description=__doc__.splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    lists = tasks.add_parser("lists", help="search, pool and mix")
    lists.add_argument("--index", type=Path, required=True)
    lists.add_argument("--out", type=Path, required=True)
    judge = tasks.add_parser("judge", help="a local page to judge with keys")
    judge.add_argument(
        "--labels", type=Path, required=True, help="grows; begin again where it ends"
    )
    judge.add_argument("--port", type=int, default=0, help="any free one by default")
    sheet = tasks.add_parser("sheet", help="the items as text, to be judged with an editor")
    sheet.add_argument("--out", required=True, help="name of the files, a * in it for the number")
    sheet.add_argument("--parts", type=int, default=1)
    counts = tasks.add_parser("counts", help="the shares, as Markdown")
    counts.add_argument(
        "--labels", type=Path, nargs="+", required=True, help="the first one counts"
    )
    counts.add_argument("--failing", metavar="SYSTEM", help="list what fails instead")
    for one in (judge, sheet, counts):
        one.add_argument("--lists", type=Path, required=True)
    return parser.parse_args()


def _make(index: Path, out: Path) -> None:
    with Engine.open(index) as engine:
        lists = make(engine, questions())
    lists.write(out)
    print(f"{len(lists.items)} arguments of {len(lists.questions)} questions in {out}\n")
    print(counting.filled(lists, "default"))


def _count(lists: Lists, paths: list[Path], system: str | None) -> None:
    files = [read(path, lists) for path in paths]
    labels = counting.merged(files)
    if system is not None:
        print(counting.failing(lists, labels, system))
        return
    print(counting.table(lists, labels))
    print(f"\n{agreed}" if (agreed := counting.agreement(files)) else "")


def main() -> None:
    """Read the command line."""
    given = _arguments()
    try:
        if given.task == "lists":
            return _make(given.index, given.out)
        lists = Lists.read(given.lists)
        if given.task == "judge":
            serve(lists, given.labels, given.port)
        elif given.task == "sheet":
            print(*sheets.write(lists, given.out, given.parts), sep="\n")
        else:
            _count(lists, given.labels, given.failing)
    except (ArgsearchError, ValueError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
