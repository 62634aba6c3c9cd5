"""Text formats for answers and for the arguments that a reader kept."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from argsearch.api.argdown import to_argdown
from argsearch.api.cards import to_cards
from argsearch.api.serialise import Answer, ShownHit
from argsearch.engine.text.citation import bibtex, cite, markdown_source, markdown_text
from argsearch.engine.text.snippet import BEGINNING_NOTE, Snippet
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.output import write_csv

COLUMNS = ("rank", "score", "id", "stance", "conclusion", "sentence", "premise", "source", "url")
"""Columns of the CSV format."""
KEPT_COLUMNS = ("question", "side", *COLUMNS[2:7], "author", "year", *COLUMNS[7:])
"""Columns of kept arguments as CSV."""


@dataclass(frozen=True, slots=True)
class KeptArgument:
    """An argument that a reader kept, with the question and side that it was kept for."""

    argument: Argument
    question: str
    side: str
    gist: Snippet


def to_csv(answer: Answer) -> str:
    """Return CSV with a header and one row per hit, with quoting and line endings as in RFC 4180.

    If both sides were requested, the last column names the side. Formulas are made harmless by
    `argsearch.indexer.output.write_csv`.
    """
    sided = bool(answer.lists)
    rows = (_row(shown) + (str(shown.side),) * sided for shown in answer.hits)
    return _csv(COLUMNS + ("side",) * sided, rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    write_csv(text, [columns, *rows], "\r\n")
    return text.getvalue()


def _row(shown: ShownHit) -> tuple[object, ...]:
    hit, source = shown.hit, shown.source
    said = _said(hit.id, hit.stance, shown.argument, shown.sentence)
    return (hit.rank, float(hit.score), *said, source.line, source.url)


def _said(id: str, stance: Stance | None, argument: Argument, gist: Snippet) -> tuple[str, ...]:
    return id, stance or "", argument.conclusion or "", gist.text, argument.premise


def to_markdown(answer: Answer) -> str:
    """Return a heading, and for each hit a numbered item with its gist and query words in bold.

    If both sides were requested, each has its own heading.
    """
    results, config = answer.results, markdown_text(answer.results.config.name)
    more = f", {results.by_meaning} of them by meaning alone" if results.by_meaning else ""
    lines = [
        f"# {results.unit.capitalize()} on “{markdown_text(results.query)}”",
        "",
        f"{results.total} {results.unit} match{more}; configuration {config}, "
        f"index {results.fingerprint[:12]}.",
        "",
    ]
    for side, one in (answer.lists or {"": answer}).items():
        lines += [f"## {side.capitalize()}", ""] if side else []
        for shown in one.hits:
            lines += _item(shown, shown.explained)
    return "\n".join(lines).rstrip() + "\n"


def _item(shown: ShownHit, explain: bool) -> list[str]:
    stance, rank = shown.hit.stance, shown.hit.rank
    title = f"{_title(shown.argument, stance)}, score {shown.hit.score:.4g}"
    lines = _entry(rank, title, shown.sentence, shown.hit.argument, shown.hit.id)
    if explain:
        indent = " " * (len(str(rank)) + 2)
        tree = [f"{indent}{line}" for line in shown.hit.explanation.lines()]
        lines += [f"{indent}```text", *tree, f"{indent}```", ""]
    return lines


def _title(argument: Argument, stance: Stance | None) -> str:
    side = f" ({stance.value.lower()})" if stance else ""
    return f"**{markdown_text(argument.conclusion or '(no conclusion)')}**{side}"


def _entry(rank: int, title: str, gist: Snippet, origin: Argument, id: str) -> list[str]:
    """Return a numbered item: a title, a quote, and the source of the argument."""
    indent = " " * (len(str(rank)) + 2)
    return [
        f"{rank}. {title}",
        "",
        f"{indent}> {_bold(gist) or '(no premise)'}",
        *([f"{indent}> {BEGINNING_NOTE}"] if gist.beginning else []),
        "",
        f"{indent}Source: {markdown_source(origin)}; id `{id.replace('`', '')}`",
        "",
    ]


def _bold(snippet: Snippet) -> str:
    pieces = []
    for text, marked in snippet.parts():
        escaped = markdown_text(text)
        # `markdown_text` strips spaces; put them back, or the words beside a mark would join.
        left = " " * (text[:1].isspace() and not marked)
        right = " " * (text[-1:].isspace() and not marked and bool(escaped))
        pieces.append(f"**{escaped}**" if marked else f"{left}{escaped}{right}")
    return "".join(pieces)


def to_bibtex(answer: Answer) -> str:
    """Return one entry for each argument that a hit comes from."""
    # Two hits may come from one argument, and BibTeX rejects a repeated key.
    return "\n".join(dict.fromkeys(bibtex(shown.hit.argument) for shown in answer.hits))


TEXTS: dict[str, tuple[str, Callable[[Answer], str]]] = {
    "csv": ("text/csv; charset=utf-8", to_csv),
    "markdown": ("text/markdown; charset=utf-8", to_markdown),
    "bibtex": ("application/x-bibtex; charset=utf-8", to_bibtex),
    "argdown": ("text/plain; charset=utf-8", to_argdown),
    "cards": ("text/html; charset=utf-8", to_cards),
}
"""Media type and writer of each text format."""


def kept_csv(kept: Sequence[KeptArgument]) -> str:
    """Return a header and one row per kept argument, in the same CSV format as `to_csv`."""
    return _csv(KEPT_COLUMNS, map(_kept_row, kept))


def _kept_row(kept: KeptArgument) -> tuple[str, ...]:
    argument, source = kept.argument, cite(kept.argument)
    said = _said(argument.id, argument.stance, argument, kept.gist)
    origin = source.author, source.date[:4], source.line, source.url
    return (kept.question, kept.side, *said, *origin)


def kept_markdown(kept: Sequence[KeptArgument]) -> str:
    """Return a heading for each question and side, and a numbered item per argument."""
    lines = ["# Kept arguments", ""]
    for (question, side), of in groupby(kept, attrgetter("question", "side")):
        heading = ": ".join(filter(None, (side.capitalize(), markdown_text(question))))
        lines += [f"## {heading}", ""] if heading else []
        for rank, one in enumerate(of, 1):
            argument = one.argument
            title = _title(argument, argument.stance)
            lines += _entry(rank, title, one.gist, argument, argument.id)
    return "\n".join(lines).rstrip() + "\n"


def kept_bibtex(kept: Sequence[KeptArgument]) -> str:
    """Return one entry for each argument, even if it was kept for several questions."""
    return "\n".join(dict.fromkeys(bibtex(one.argument) for one in kept))


KEPT_TEXTS: dict[str, tuple[str, Callable[[Sequence[KeptArgument]], str]]] = {
    "csv": (TEXTS["csv"][0], kept_csv),
    "markdown": (TEXTS["markdown"][0], kept_markdown),
    "bibtex": (TEXTS["bibtex"][0], kept_bibtex),
}
"""Media type and writer of each format for kept arguments."""
