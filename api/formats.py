"""Text formats of an answer: CSV, Markdown, BibTeX, Argdown and cards."""

from __future__ import annotations

import io
from collections.abc import Callable

from argsearch.api.argdown import to_argdown
from argsearch.api.cards import to_cards
from argsearch.api.serialise import Answer, ShownHit
from argsearch.engine.text.citation import bibtex, markdown_source, markdown_text
from argsearch.engine.text.snippet import BEGINNING_NOTE, Snippet
from argsearch.indexer.output import write_csv

COLUMNS = ("rank", "score", "id", "stance", "conclusion", "sentence", "premise", "source", "url")
"""Columns of the CSV format."""


def to_csv(answer: Answer) -> str:
    """Return a header and one row per hit, with quoting and line ends as in RFC 4180.

    If both sides were requested, the last column names the side. Formulas are made harmless, see
    `argsearch.indexer.output.write_csv`.
    """
    text = io.StringIO()
    sided = bool(answer.lists)
    rows = (_row(shown) + (str(shown.side),) * sided for shown in answer.hits)
    write_csv(text, [COLUMNS + ("side",) * sided, *rows], "\r\n")
    return text.getvalue()


def _row(shown: ShownHit) -> tuple[object, ...]:
    argument = shown.argument
    return (
        shown.hit.rank,
        float(shown.hit.score),
        shown.hit.id,
        shown.hit.stance or "",
        argument.conclusion or "",
        shown.sentence.text,
        argument.premise,
        shown.source.line,
        shown.source.url,
    )


def to_markdown(answer: Answer) -> str:
    """Return a heading and a numbered item per hit: its best sentence, query words in bold.

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
    argument, rank = shown.argument, shown.hit.rank
    indent, id = " " * (len(str(rank)) + 2), shown.hit.id.replace("`", "")
    stance = shown.hit.stance
    side = f" ({stance.value.lower()})" if stance else ""
    lines = [
        f"{rank}. **{markdown_text(argument.conclusion or '(no conclusion)')}**{side}, "
        f"score {shown.hit.score:.4g}",
        "",
        f"{indent}> {_bold(shown.sentence) or '(no premise)'}",
        *([f"{indent}> {BEGINNING_NOTE}"] if shown.sentence.beginning else []),
        "",
        f"{indent}Source: {markdown_source(shown.hit.argument)}; id `{id}`",
        "",
    ]
    if explain:
        tree = [f"{indent}{line}" for line in shown.hit.explanation.lines()]
        lines += [f"{indent}```text", *tree, f"{indent}```", ""]
    return lines


def _bold(snippet: Snippet) -> str:
    pieces = []
    for text, marked in snippet.parts():
        escaped = markdown_text(text)
        # `markdown_text` strips spaces, without which the words beside a mark would join.
        left = " " * (text[:1].isspace() and not marked)
        right = " " * (text[-1:].isspace() and not marked and bool(escaped))
        pieces.append(f"**{escaped}**" if marked else f"{left}{escaped}{right}")
    return "".join(pieces)


def to_bibtex(answer: Answer) -> str:
    """Return one entry for each argument that a hit comes from."""
    # Two pairs may come from one argument, and BibTeX rejects a repeated key.
    entries = (bibtex(shown.hit.argument) for shown in answer.hits)
    return "\n".join(dict.fromkeys(entries))


TEXTS: dict[str, tuple[str, Callable[[Answer], str]]] = {
    "csv": ("text/csv; charset=utf-8", to_csv),
    "markdown": ("text/markdown; charset=utf-8", to_markdown),
    "bibtex": ("application/x-bibtex; charset=utf-8", to_bibtex),
    "argdown": ("text/plain; charset=utf-8", to_argdown),
    "cards": ("text/html; charset=utf-8", to_cards),
}
"""Media type and writer of each text format."""
