"""Write items as plain text, for a judge who writes labels with an editor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from studies.reader.labels import COLUMNS, Labels
from studies.reader.lists import Item, Lists, Question

WIDE = 78
INSTRUCTIONS = """\
WHAT TO JUDGE

Each question below was asked by a reader of a search engine for arguments. Under it stand
arguments that were shown on one of its sides. Judge each by itself, as that reader would; their
order says nothing. A question with misspelt words is to be taken as it was meant.

"For" means yes to the question. Where a line says what "for" means, that counts: it stood above
the list. An argument's own stance is towards its own conclusion, so "against: Homework should be
banned" defends homework: for the question "Is homework good?" it is on the side "for".

usable   1: it is about the question, and a reader understands an argument (a reason) from it, even
            if it is weak, rude or badly written.
         0: another subject, no reason at all ("I accept", "vote for me"), a joke, or not to be
            understood.
right    1: it stands on the side where it is shown.
         0: it stands on the other side.
         n: on neither side, on both, or it cannot be told.
snippet  1: the snippet lets a reader know the main point that the text makes (it may be cut short).
         0: it says something else, or nothing (also where the text makes no point).
exists   only for a side of a question for which no argument, wherever it is shown, is usable and
         stands on it. 1: the collection surely has one all the same. 0: as far as is known it has
         none. If in doubt 0.

Long texts are cut: the beginning and the end are here. Judge by what is here.
Do not look up arguments elsewhere, and leave nothing out.

HOW TO WRITE IT DOWN

A text file, its columns apart by one tab, this line first:
{columns}
One line for each item, with nothing in the last column, such as
Q07.3<TAB>1<TAB>0<TAB>1<TAB>
and, where it is needed (see "exists"), one line for a side:
Q07/against<TAB><TAB><TAB><TAB>0
A later line about the same item replaces an earlier one.
"""


def write(lists: Lists, pattern: str, parts: int, done: Labels | None = None) -> list[Path]:
    """Write the items to `parts` files of whole questions. `*` in the pattern is the file's number.

    done: labels; items that have a label are left out.
    """
    if done is not None:
        lists = replace(lists, items=[item for item in lists.items if item.id not in done.items])
        waiting = {item.question for item in lists.items}
        lists = replace(lists, questions=[q for q in lists.questions if q.id in waiting])
    if "*" not in pattern:
        raise ValueError(f"the file's name is {pattern!r}; allowed: one with a * for the number")
    paths = []
    for number, some in enumerate(_split(lists, parts), 1):
        path = Path(pattern.replace("*", str(number)))
        path.write_text(sheet(lists, some), "utf-8")
        paths.append(path)
    return paths


def _split(lists: Lists, parts: int) -> list[list[Question]]:
    """Split the questions, in their order, into parts with about as many items each."""
    split = [list[Question]() for _ in range(parts)]
    done = 0
    for question in lists.questions:
        items = len(lists.of(question.id))
        split[min(parts - 1, int((done + items / 2) * parts / len(lists.items)))].append(question)
        done += items
    return split


def sheet(lists: Lists, asked: list[Question]) -> str:
    """Return the instructions and the items of some questions as text."""
    some = sum(len(lists.of(question.id)) for question in asked)
    head = f"{len(asked)} questions, {some} arguments\n"
    blocks = [INSTRUCTIONS.format(columns="<TAB>".join(COLUMNS)), head]
    for question in asked:
        means = lists.claims[question.id]
        claim = f'\n"For" means: {means}' if means else ""
        blocks.append(f"{'=' * WIDE}\n{question.id}  {question.text}{claim}\n{'=' * WIDE}\n")
        blocks += [_item(item) for item in lists.of(question.id)]
        if not lists.of(question.id):
            blocks.append(
                f"Nothing was shown: write {question.id}/for and {question.id}/against.\n"
            )
    return "\n".join(blocks)


def _item(item: Item) -> str:
    conclusion = item.conclusion or "(it has no conclusion)"
    own = {"PRO": "for: ", "CON": "against: "}.get(item.stance or "", "")
    return (
        f"{'-' * WIDE}\n{item.id}  shown as: {item.side.upper()}\n"
        f"Its own conclusion, {own}{conclusion}\n"
        f"Snippet: {item.gist or '(none)'}\n"
        f"Text ({item.words:,} words):\n{item.text}\n"
    )
