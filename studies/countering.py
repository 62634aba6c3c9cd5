"""Do counters counter? The first five of 40 arguments, without sides and with them, judged blind.

    python -m studies.countering sheet INDEX SAMPLE --out FOLDER   # sheets for readers, a key
    python -m studies.countering merge FOLDER                      # their labels, by argument
    python -m studies.countering counts INDEX SAMPLE              # the table

INDEX and SAMPLE are indexes of the args.me subset and of the sample corpus with the parts `counter`
and `near_duplicates`. A reader writes FOLDER/labels-N.tsv for FOLDER/sheet-N.txt.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from argsearch.engine import Engine
from argsearch.indexer.corpus.argument import Argument
from studies.reader.lists import cut

SYSTEMS = {"before": ("counters.side=0", "counters.quality=0", "counters.least=-1"), "now": ()}
PLACES, SEED, WORDS = 5, 40, 30
"""Places that are judged, the seed of all that is drawn, and words that an author's text has."""
DRAWN = (30, 10)
"""Arguments of the subset and of the sample."""
LABELS = Path(__file__).with_name("counter_labels.tsv")
PART = 60
"""Items of a sheet at most; all of an author's are in one."""
INSTRUCTIONS = """\
WHAT TO JUDGE

Below are arguments of several authors. Under each author's stand others, in no order. Judge each of
them by itself: does it hold a usable reason against the author?

An author with the stance "for" claims what the conclusion beside it says; one with the stance
"against" claims the opposite. A candidate's own conclusion and stance may be anything: what counts
is whether a reason in its text, if true, speaks against what the AUTHOR claims.
Where conclusion and stance do not tell what the author claims, or his text argues otherwise, his
text decides.

a   against: it gives a reason, which can be understood, against the author's claim, even if it is
    weak, rude or badly written.
s   supports: what it gives is a reason for the author's claim.
n   neither: another subject, no reason at all ("I accept"), both sides alike, or not to be told.

Long texts are cut: the beginning and the end are here. Judge by what is here, look nothing up, and
leave nothing out. Write a text file labels-N.tsv for sheet-N.txt with a line for each item and no
other: its number, a tab, then a, s or n, such as
1.1<TAB>a
"""


@dataclass(frozen=True)
class Drawn:
    """An author, and what was found against him by each system, best first."""

    number: int
    author: Argument
    found: dict[str, list[Argument]]

    @property
    def pooled(self) -> dict[str, Argument]:
        """Each argument that a system shows, by its item, in a random order."""
        every = {one.id: one for found in self.found.values() for one in found}
        order = np.random.default_rng((SEED, self.number)).permutation(sorted(every))
        return {f"{self.number}.{i}": every[id] for i, id in enumerate(order.tolist(), 1)}


def drawn(folders: list[Path], seed: int = SEED) -> Iterator[Drawn]:
    """The authors of each index, by chance, with their counters."""
    number = 0
    for folder, many in zip(folders, DRAWN, strict=True):
        with Engine.open(folder) as engine:
            for author in authors(engine, many, seed):
                number += 1
                found = {
                    name: [hit.argument for hit in engine.counter(author.id, PLACES, overrides=own)]
                    for name, own in SYSTEMS.items()
                }
                yield Drawn(number, author, found)


def authors(engine: Engine, many: int, seed: int) -> Iterator[Argument]:
    """Arguments with a conclusion, a stance and WORDS words, by chance."""
    ids = sorted(engine.backend.ids[doc] for doc in range(engine.info.documents))
    for id in np.random.default_rng(seed).permutation(ids).tolist():
        one = engine.argument(id)
        if one.conclusion and one.stance and len(one.premise.split()) >= WORDS:
            yield one
            many -= 1
        if not many:
            return


def sheets(every: list[Drawn]) -> list[str]:
    """The items as text, PART a sheet at most."""
    texts, size = [INSTRUCTIONS], 0
    for one in every:
        if size + len(one.pooled) > PART:
            texts, size = [*texts, INSTRUCTIONS], 0
        texts[-1] += f"\n{'=' * 78}\nAUTHOR {one.number}, {_stated(one.author)}\n"
        for item, argument in one.pooled.items():
            texts[-1] += f"\n{'-' * 78}\nITEM {item}, {_stated(argument)}\n"
        size += len(one.pooled)
    return texts


def _stated(argument: Argument) -> str:
    stance = {"PRO": "for: ", "CON": "against: "}.get(argument.stance or "", "")
    return f"{stance}{argument.conclusion or '(no conclusion)'}\n{cut(argument.premise)}"


def merge(folder: Path) -> str:
    """The labels of a folder by argument, as LABELS has them."""
    with (folder / "key.tsv").open() as stream:
        key = {item: ids for item, *ids in csv.reader(stream, delimiter="\t")}
    rows = []
    for path in sorted(folder.glob("labels-*.tsv")):
        for line in path.read_text().splitlines():
            item, label = line.split("\t")[:2]
            if label not in ("a", "s", "n"):
                raise ValueError(f"{path.name}: {line!r}; allowed: item, tab, a, s or n")
            rows.append("\t".join((*key.pop(item), label)))
    return "\n".join(["author\tcounter\tlabel", *sorted(rows)]) + "\n"


def counts(every: list[Drawn]) -> str:
    """Of the places shown by each system, which share is what; intervals over authors."""
    with LABELS.open() as stream:
        known = {(a, c): label for a, c, label in csv.reader(stream, delimiter="\t")}
    head = "system | places | against | supports | neither | not judged | first places against"
    lines = [f"| {head} | none shown |", f"|{8 * '---|'}"]
    for name in SYSTEMS:
        labels = [[known.get((one.author.id, c.id), "?") for c in one.found[name]] for one in every]
        shown = [own for own in labels if own]
        cells = [_share(shown, kind) for kind in "asn?"]
        first = [own[:1] for own in shown]
        cells = [str(sum(map(len, shown))), *cells, _share(first, "a")]
        lines.append(f"| {name} | {' | '.join(cells)} | {len(labels) - len(shown)} |")
    return "\n".join(lines)


def _share(labels: list[list[str]], kind: str) -> str:
    """Of all places; the interval by drawing authors again."""
    own = np.array([own.count(kind) for own in labels])
    places = np.array([len(own) for own in labels])
    again = np.random.default_rng(SEED).integers(0, len(own), (10_000, len(own)))
    low, high = np.percentile(own[again].sum(1) / places[again].sum(1), (2.5, 97.5))
    return f"{own.sum() / places.sum():.2f} [{low:.2f}, {high:.2f}]"


def main() -> None:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m studies.countering", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("what", choices=("sheet", "merge", "counts"))
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path())
    given = parser.parse_args()
    if given.what == "merge":
        LABELS.write_text(merge(given.folders[0]))
        return
    every = list(drawn(given.folders))
    if given.what == "counts":
        print(counts(every))
        return
    rows = [(i, one.author.id, c.id) for one in every for i, c in one.pooled.items()]
    (given.out / "key.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    for number, text in enumerate(sheets(every), 1):
        (given.out / f"sheet-{number}.txt").write_text(text)


if __name__ == "__main__":
    main()
