"""What a reader gets, judged by hand: docs/reader.md.

python -m studies.reader score  --index argsme-index --systems default
python -m studies.reader lists  --index argsme-index --out lists.json
python -m studies.reader pool   --lists former=a.json today=b.json --out lists.json
python -m studies.reader sheet  --lists lists.json --out 'sheet-*.txt' --parts 4
python -m studies.reader counts --lists lists.json --labels labels.tsv  (and `known`)
python -m studies.reader keep   --lists lists.json --labels labels.tsv
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from argsearch.engine import Engine
from argsearch.indexer.errors import ArgsearchError
from studies.reader import counting, judged, scoring, sheets
from studies.reader.labels import append, read
from studies.reader.lists import BY_WORDS, QUESTIONS, SYSTEMS, Lists, make, pooled, questions


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="studies.reader", description=__doc__.splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    lists = tasks.add_parser("lists", help="search, pool and mix")
    lists.add_argument("--out", type=Path, required=True)
    score = tasks.add_parser("score", help="count by the labels that ship, as Markdown")
    for one in (lists, score):
        one.add_argument("--index", type=Path, required=True)
        one.add_argument("--questions", type=Path, default=QUESTIONS, help="others than shipped")
        one.add_argument("--list", nargs="+", default=(), help="only these lists, such as tenth")
        one.add_argument("--systems", nargs="+", choices=SYSTEMS, default=BY_WORDS, help="which")
    pool = tasks.add_parser("pool", help="mix what several versions' lists show")
    pool.add_argument(
        "--lists", nargs="+", required=True, metavar="VERSION=FILE", help="the last one is today's"
    )
    pool.add_argument("--out", type=Path, required=True)
    sheet = tasks.add_parser("sheet", help="the items as text, to be judged with an editor")
    sheet.add_argument("--out", required=True, help="name of the files, a * in it for the number")
    sheet.add_argument("--parts", type=int, default=1)
    sheet.add_argument("--labels", type=Path, help="leave out what has a label there")
    known = tasks.add_parser("known", help="begin a file of labels with those that ship")
    keep = tasks.add_parser("keep", help="write the labels to the file that ships")
    known.add_argument("--labels", type=Path, required=True, help="grows")
    keep.add_argument("--labels", type=Path, nargs="+", required=True, help="the first one counts")
    counts = tasks.add_parser("counts", help="the shares, as Markdown")
    counts.add_argument(
        "--labels", type=Path, nargs="+", required=True, help="the first one counts"
    )
    for one in (known, keep, score):
        one.add_argument(
            "--judged", type=Path, default=judged.JUDGED, help="that of other questions"
        )
    for one in (sheet, known, keep, counts):
        one.add_argument("--lists", type=Path, required=True)
    return parser.parse_args()


def _make(given: argparse.Namespace) -> None:
    with Engine.open(given.index) as engine:
        asked = questions(given.questions, given.list)
        if given.task == "score":
            print(scoring.table(engine, asked, given.systems, judged.known(given.judged)))
        else:
            _write(make(engine, asked, given.systems), given.out)


def _pool(given: argparse.Namespace) -> None:
    files = dict(one.split("=", 1) for one in given.lists)
    _write(pooled({name: Lists.read(Path(path)) for name, path in files.items()}), given.out)


def _write(lists: Lists, out: Path) -> None:
    lists.write(out)
    print(f"{len(lists.items)} arguments of {len(lists.questions)} questions in {out}")


def _count(lists: Lists, paths: list[Path]) -> None:
    files = [read(path, lists) for path in paths]
    print(counting.table(lists, counting.merged(files)))
    print(f"\n{agreed}" if (agreed := counting.agreement(files)) else "")


def _begin(lists: Lists, path: Path, known: Path) -> None:
    rows = list(judged.carried(known, lists))
    for row in rows:
        append(path, row)
    new = len(lists.items) - sum("." in row["item"] for row in rows)
    print(f"{len(rows)} labels in {path}; {new} of {len(lists.items)} arguments are new")


def main() -> None:
    """Read the command line."""
    given = _arguments()
    try:
        if given.task in ("lists", "score"):
            return _make(given)
        if given.task == "pool":
            return _pool(given)
        lists = Lists.read(given.lists)
        if given.task == "sheet":
            done = read(given.labels, lists) if given.labels else None
            print(*sheets.write(lists, given.out, given.parts, done), sep="\n")
        elif given.task == "known":
            _begin(lists, given.labels, given.judged)
        elif given.task == "keep":
            labels = counting.merged([read(path, lists) for path in given.labels])
            judged.write(given.judged, lists, labels)
        else:
            _count(lists, given.labels)
    except (ArgsearchError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
