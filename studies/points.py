"""Key points, read blind: sheets of what is shown, and what readers made of them (docs/points.md).

    python -m studies.points sheets FOLDER INDEX=QUESTIONS.txt … [--seed 0]
    python -m studies.points counts FOLDER
    python -m studies.points pairs OUT.tsv INDEX …

A file of questions has one a line. `sheets` writes `sheet-*.txt`, to be answered in a file
`labels-*.tsv` of the same name, and `shown.json`, what `counts` needs; nothing on a sheet tells
how sure the model is. Quotes, points and sentences are shuffled over all questions. `pairs` writes
the labelled pairs of `argsearch train points` with the features that they have now.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np

from argsearch import Engine
from argsearch.engine.points.key_points import READ_DEPTH, KeyPoints, SidePoints, key_points
from argsearch.engine.points.sentences import asked_roots, directions, said, sentences_of
from argsearch.indexer.corpus.argument import Argument
from argsearch.lab.training.points import LABELLED
from argsearch.ranking.points import features, turn

MOST = 150
"""Items of a sheet."""
TASKS = {
    "quotes": "Does the QUOTE say what the POINT says? yes: whoever wrote the quote makes this "
    "point, in whatever words; no: another point, only the same subject, or the contrary.",
    "points": "Both are shown to a reader as two points on one side of the question. Are they the "
    "SAME point? yes: a reader would say that one of them is superfluous; no: they are two.",
    "alone": "Can the SENTENCE be understood alone, by somebody who knows the question? yes: it "
    "says what is claimed, or why, without the text around it; no: it does not.",
}
Item = tuple[str, str, str]
"""A question and two texts; the second may be empty."""


def asked(engine: Engine, question: str) -> KeyPoints:
    """Return the key points that the page shows."""
    collapse = "near_duplicates" in engine.parts
    return key_points(engine.search(question, k=READ_DEPTH, sides=True, collapse=collapse))


def items(question: str, side: SidePoints) -> dict[str, list[Item]]:
    """Return what there is to judge of a side: quotes but the points' own, neighbours, points."""
    found: dict[str, list[Item]] = {task: [] for task in TASKS}
    for point in side.points:
        found["alone"].append((question, point.text, ""))
        found["quotes"] += [(question, point.text, quote.text) for quote in point.quotes[1:]]
    texts = [point.text for point in side.points]
    found["points"] = [(question, *pair) for pair in neighbours(texts)]
    return found


def neighbours(texts: list[str]) -> list[tuple[str, str]]:
    """Return each text with the one that is likest it by its encoder, every pair once."""
    from argsearch.indexer.encoders import load_encoder

    if len(texts) < 2:
        return []
    rows = load_encoder("wordllama").encode(texts)
    likeness = rows @ rows.T
    np.fill_diagonal(likeness, -2)
    pairs = {tuple(sorted((i, int(j)))) for i, j in enumerate(likeness.argmax(axis=1))}
    return [(texts[i], texts[j]) for i, j in sorted(pairs)]


def sheets(folder: Path, sources: list[str], seed: int) -> None:
    """Write the sheets of all questions, and what was shown."""
    found: dict[str, list[Item]] = {task: [] for task in TASKS}
    shown = []
    for source in sources:
        index, _, listed = source.partition("=")
        with Engine.open(index) as engine:
            for question in Path(listed).read_text(encoding="utf-8").splitlines():
                answer = asked(engine, question)
                for side in answer.sides.values():
                    points = [point.arguments for point in side.points]
                    shown.append((question, side.side, side.total, side.grouped, points))
                    for task, some in items(question, side).items():
                        found[task] += some
    folder.mkdir(parents=True, exist_ok=True)
    for task, some in found.items():
        random.Random(seed).shuffle(some)
        for number in range(0, len(some), MOST):
            write(folder, task, f"{task}-{number // MOST + 1}", some[number : number + MOST])
    (folder / "shown.json").write_text(json.dumps(shown, indent=1))


def write(folder: Path, task: str, name: str, some: list[Item]) -> None:
    """Write one sheet."""
    names = {"quotes": ("POINT", "QUOTE"), "points": ("A", "B"), "alone": ("SENTENCE", "")}[task]
    head = [
        TASKS[task],
        "The texts are from debate portals and forums; typing errors do not matter. Judge what is",
        "written, not whether it is true. Answer every item, and look at no other file.",
        f"Write one line an item into labels-{name}.tsv: its number, a tab, yes or no.",
        "",
    ]
    for number, (question, *texts) in enumerate(some, 1):
        head.append(f"{number}. QUESTION: {question}")
        pairs = zip(names, texts, strict=True)
        head += [f"   {label}: {' '.join(text.split())}" for label, text in pairs if text]
    (folder / f"sheet-{name}.txt").write_text("\n".join(head) + "\n", encoding="utf-8")


def labels(folder: Path, task: str) -> list[bool]:
    """Return whether each answer of a task is yes."""
    read = []
    for path in sorted(folder.glob(f"labels-{task}-*.tsv")):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
        read += [row[1].strip().lower().startswith("y") for row in rows]
    return read


def counts(folder: Path) -> str:
    """Return the table of what readers said."""
    shown: list[tuple[str, str, int, int, list[int]]] = json.loads(
        (folder / "shown.json").read_text()
    )
    total, grouped = (sum(row[at] for row in shown) for at in (2, 3))
    lines = ["| measure | value | of |", "|---|---:|---:|"]
    for task, name in (
        ("quotes", "grouping precision"),
        ("points", "uniqueness"),
        ("alone", "alone"),
    ):
        said = np.array(labels(folder, task), np.bool_)
        yes = said if task != "points" else ~said
        if len(said):
            half = 1.96 * float(np.sqrt(yes.mean() * (1 - yes.mean()) / len(said)))
            lines.append(f"| {name} | {yes.mean():.2f} ± {half:.2f} | {len(said)} |")
    lines.append(f"| coverage | {grouped / max(total, 1):.2f} | {total} |")
    return "\n".join(lines)


def pairs(out: Path, indexes: list[str]) -> None:
    """Write the labelled pairs anew that are found in the indexes; the others stay as they are."""
    head, *lines = LABELLED.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    for index in indexes:
        with Engine.open(index) as engine:
            for question in dict.fromkeys(row[0] for row in rows):
                answer = asked(engine, question)
                for side in answer.sides.values():
                    of_side = {quote.id for point in side.points for quote in point.quotes}
                    of_side |= {one.id for one in side.ungrouped}
                    ranked = [one.argument for one in answer.results.hits if one.id in of_side]
                    measure(question, ranked, rows)
    out.write_text("\n".join([head, *map("\t".join, rows)]) + "\n", encoding="utf-8")


def measure(question: str, arguments: list[Argument], rows: list[list[str]]) -> None:
    """Put the features that a side's pairs have now in the rows of their question."""
    read = sentences_of(arguments, asked_roots(question))
    place = {f"{arguments[one.place].id}:{one.begin}-{one.end}": at for at, one in enumerate(read)}
    mine = [row for row in rows if row[0] == question and row[1] in place and row[2] in place]
    points = np.array(sorted({place[row[1]] for row in mine}), np.int64)
    if len(points) == 0:
        return
    texts = [one.text for one in read]
    words, of = [one.words for one in read], [one.place for one in read]
    x = features(*said(texts, words, of, question), points)
    turn(x, directions(texts), points)
    for row in mine:
        values = x[np.searchsorted(points, place[row[1]]), place[row[2]]]
        row[-len(values) :] = [f"{value:.4g}" for value in values]


def main() -> None:
    """Write sheets, count, or measure the labelled pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("sheets", "counts", "pairs"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("sources", nargs="*", metavar="INDEX")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.what == "sheets":
        sheets(given.folder, given.sources, given.seed)
    elif given.what == "pairs":
        pairs(given.folder, given.sources)
    else:
        print(counts(given.folder))


if __name__ == "__main__":
    main()
