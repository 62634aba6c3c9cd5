"""What stands in the first five, on the sample corpus or on the args.me subset.

    python -m studies.first_five sample [--out lists.md]
    python -m studies.first_five argsme --data "$ARGSEARCH_DATA" [--out lists.md] [--sheet x.txt]

Prints a table of counts. --out keeps the lists. --sheet writes what has no label yet, for somebody
to judge, and prints no table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studies.first_five import argsme, sample


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", choices=("sample", "argsme"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--sheet", type=Path)
    args = parser.parse_args()
    if args.corpus == "sample":
        if args.data or args.sheet:
            parser.error("sample takes --out alone")
        print(sample.report(args.out))
        return
    if args.data is None:
        parser.error("argsme needs --data, the folder of the real data")
    lists = argsme.make(args.data)
    labels = argsme.read_labels() if argsme.LABELS.exists() else {}
    if args.out:
        args.out.write_text(argsme.text(lists, labels))
    if args.sheet:
        args.sheet.write_text(argsme.sheet(lists, labels))
        return
    missing = sum((t, h.id) not in labels for t in lists.questions for h in lists.pooled(t))
    if missing:
        parser.error(f"{missing} texts have no label; write them with --sheet, and judge them")
    print(argsme.table(lists, labels))


if __name__ == "__main__":
    main()
