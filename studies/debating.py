"""Talks with the sparring partner, read blind: its answers, and what readers made of them.

    python -m studies.debating sheets FOLDER INDEX TALKS.txt [--seed 0]
    python -m studies.debating counts FOLDER
    python -m studies.debating talks INDEX TALKS.txt

A file of talks has a user's message a line and a blank line between talks. `sheets` holds each talk
with the partner of INDEX and writes `sheet-*.txt`, an item for each answer with the talk so far, in
random order, to be answered in `labels-*.tsv` of the same name, and `shown.json`, what `counts`
needs. `talks` prints them (docs/debate.md).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from argsearch import Engine
from argsearch.engine.debate.choice import overlapping
from argsearch.engine.debate.partner import LONGEST
from argsearch.engine.debate.talk import spelt
from argsearch.engine.points.sentences import asked_roots

MOST = 40
"""Items of a sheet."""
QUESTIONS = {
    "subject": "Is the ANSWER on the subject of the talk?",
    "contrary": "Does the ANSWER speak against what the USER defends in this talk? no: it is for "
    "it, for nothing, or says that it has nothing.",
    "answers": "Does the ANSWER respond to what the USER said last? no: it would fit as well, or "
    "as badly, after any other message of the talk.",
    "understood": "Can the ANSWER be understood by somebody who has read the talk alone?",
}
HEAD = """\
Somebody (USER) talks with a partner who argues against what the user claims. Judge the last ANSWER
of each item, which is made of sentences from debate portals or forums; typing errors do not matter.
Judge what is written, not whether it is true. Answer every item, and look at no other file.
Write one line an item into labels-{name}.tsv: its number and, after a tab each, yes or no to:
"""


class Answered(NamedTuple):
    """An answer and what was said before it, the user's message last."""

    before: tuple[str, ...]
    content: str
    sentences: tuple[str, ...]


def talks(path: Path) -> list[list[str]]:
    """Return the user's messages of each talk of a file."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    return [block.strip().splitlines() for block in blocks if block.strip()]


def held(engine: Engine, said: list[str]) -> Iterator[Answered]:
    """Yield the partner's answers to a user who says this."""
    messages: list[dict[str, str]] = []
    for text in said:
        messages.append({"role": "user", "content": text})
        reply = engine.debate(messages)
        before = tuple(one["content"] for one in messages)
        yield Answered(before, reply.content, tuple(one.text for one in reply.spoken))
        messages.append({"role": "assistant", "content": reply.content})


def sheets(folder: Path, index: str, path: Path, seed: int) -> None:
    """Write the sheets of all talks, and what was answered."""
    with Engine.open(index) as engine:
        found = [list(held(engine, said)) for said in talks(path)]
    folder.mkdir(parents=True, exist_ok=True)
    answers = [(number, one) for number, talk in enumerate(found) for one in talk]
    random.Random(seed).shuffle(answers)
    for at in range(0, len(answers), MOST):
        name = f"answers-{at // MOST + 1}"
        lines = [HEAD.format(name=name)]
        lines += [f"{n}. {text}" for n, text in enumerate(QUESTIONS.values(), 1)]
        for number, (_, one) in enumerate(answers[at : at + MOST], 1):
            lines.append(f"\n{number}.")
            for turn, text in enumerate(one.before):
                lines.append(f"   {'ANSWERED' if turn % 2 else 'USER'}: {' '.join(text.split())}")
            lines.append(f"   ANSWER: {one.content}")
        (folder / f"sheet-{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = [(number, one.content, one.sentences) for number, one in answers]
    (folder / "shown.json").write_text(json.dumps(shown, indent=1), encoding="utf-8")


def labels(folder: Path) -> list[list[bool]]:
    """Return the readers' answers to the QUESTIONS, an item a row, in the order of the sheets."""
    read = []
    paths = folder.glob("labels-*.tsv")
    for path in sorted(paths, key=lambda one: int(one.stem.rpartition("-")[2])):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
        read += [[cell.strip().lower().startswith("y") for cell in row[1:]] for row in rows]
    return read


def counts(folder: Path) -> str:
    """Return the table of what readers said, and of what a rule tells."""
    shown: list[tuple[int, str, list[str]]] = json.loads((folder / "shown.json").read_text())
    said, talk_of = np.array(labels(folder), np.bool_), np.array([row[0] for row in shown])
    lines = ["| measure | value | of |", "|---|---:|---:|"]
    answering = np.array([bool(row[2]) for row in shown])
    for column, name in enumerate(QUESTIONS if len(said) else ()):
        for some, of in (
            (np.ones(len(shown), np.bool_), "answers"),
            (answering, "with a sentence"),
        ):
            means = [said[some & (talk_of == one), column] for one in np.unique(talk_of)]
            low, high = interval(means)
            value = said[some, column].mean()
            lines.append(f"| {name} | {value:.2f} [{low:.2f}, {high:.2f}] | {some.sum()} {of} |")
    words = np.array([len(content.split()) for _, content, _ in shown])
    lines.append(f"| words, mean and most | {words.mean():.1f}, {words.max()} | {len(shown)} |")
    lines.append(f"| longer than {LONGEST} words | {(words > LONGEST).sum()} | {len(shown)} |")
    lines.append(f"| say that there is nothing | {(~answering).sum()} | {len(shown)} |")
    lines.append(f"| repeat a sentence | {repeated(shown)} | {len(shown)} |")
    return "\n".join(lines)


def interval(values: list[np.ndarray]) -> tuple[float, float]:
    """Return the 95 % interval of a mean, talks drawn again 2,000 times."""
    random_numbers = np.random.default_rng(0)
    kept = [one for one in values if len(one)]
    drawn = random_numbers.integers(len(kept), size=(2000, len(kept)))
    means = [np.concatenate([kept[i] for i in row]).mean() for row in drawn]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def repeated(shown: list[tuple[int, str, list[str]]]) -> int:
    """Return how many answers have a sentence that repeats another one of the same talk."""
    found = 0
    for at, (talk, _, sentences) in enumerate(shown):
        others = [s for n, row in enumerate(shown) if n != at and row[0] == talk for s in row[2]]
        found += any(repeats(one, other) for one in sentences for other in others)
    return found


def repeats(one: str, other: str) -> bool:
    """Return whether of two sentences one has the other's words, or nearly all its roots."""
    first, second = f" {spelt(one)} ", f" {spelt(other)} "
    same = first in second or second in first
    return same or overlapping(asked_roots(one), asked_roots(other), 4, 0.8)


def main() -> None:
    """Write sheets, count, or print talks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("sheets", "counts", "talks"))
    parser.add_argument("given", nargs="+", metavar="FOLDER | INDEX | TALKS.txt")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.what == "sheets":
        folder, index, path = asked.given
        sheets(Path(folder), index, Path(path), asked.seed)
    elif asked.what == "counts":
        print(counts(Path(asked.given[0])))
    else:
        with Engine.open(asked.given[0]) as engine:
            for said in talks(Path(asked.given[1])):
                for one in held(engine, said):
                    print(f"USER: {one.before[-1]}\nANSWER: {one.content}")
                print()


if __name__ == "__main__":
    main()
