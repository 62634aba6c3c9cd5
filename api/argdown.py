"""Answers as Argdown (argdown.org), a text format for argument maps.

An element's text is for human readers. The metadata in `{…}` after it holds the id, the context
and, if the map does not show them, the conclusion and premises, so the map is complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from argsearch.api.serialise import Answer, ShownHit
from argsearch.engine.points.key_points import KeyPoints
from argsearch.engine.results.results import Results
from argsearch.engine.text.citation import cite
from argsearch.engine.text.snippet import WIDTH
from argsearch.indexer.corpus.argument import Argument

STANCE_SIGNS = {"PRO": "+", "CON": "-", "for": "+", "against": "-", "supports": "+"}
"""Argdown's signs for stances towards a conclusion, and for sides of a question."""
TITLE_WIDTH = 60
"""Maximum length of a title, in characters."""
NOTHING = "(no premise)"
# Characters that begin an element, a tag, emphasis or (`:name:`, `.name.`) a special character.
_SPECIAL = re.compile(r"[\\\[\]<>{}#@*_/=]|[.:](?=[^\s]+?[.:])")
_NO_TITLE = re.compile(r"[^\w\s.,;'’\"!?%&$€()+-]+")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
# JSON allows these in a string. YAML does not, and a brace ends Argdown's metadata.
_NO_STRING = re.compile("[{}\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def to_argdown(answer: Answer) -> str:
    """Return an argument map, with arguments below the question or below their conclusion.

    Sentences, and arguments whose sides were not predicted, are placed below their own conclusion.
    Arguments without a stance or a conclusion stand alone.
    """
    results = answer.results
    question = _asked(results)
    below: dict[str, list[str]] = {}
    for number, shown in enumerate(answer.hits, 1):
        side = shown.side if answer.whole else None
        conclusion, stance = _line(shown.argument.conclusion or ""), shown.hit.stance
        parent, sign = (question, STANCE_SIGNS[side]) if side in STANCE_SIGNS else (conclusion, "")
        sign = sign or STANCE_SIGNS.get(stance or "", "")
        parent, sign = (parent, sign) if parent and sign else ("", "")
        below.setdefault(parent, []).append(_element(shown, number, parent, sign))
    head = [f"{len(answer.hits)} of {results.total} {results.unit}", results.config.name]
    return _map(question, head, results.fingerprint, _grouped(below, question))


def _grouped(below: Mapping[str, list[str]], question: str) -> Iterator[str]:
    titles = _Titles()
    for parent in sorted(below, key=lambda one: (one != question, one == "")):
        if parent:
            yield f"{titles.of(parent)}: {_escaped(parent)}"
            yield from below[parent]
            yield ""
        else:
            yield from (line for element in below[parent] for line in (element.lstrip(), ""))


def _element(shown: ShownHit, number: int, parent: str, sign: str) -> str:
    argument = shown.argument
    document, text = argument.to_json(), _line(argument.premise)
    # A long premise would make a node too large for a map; `exact` keeps the whole text.
    text = (text if len(text) <= WIDTH else _line(shown.sentence.text)) or NOTHING
    exact = {"id": shown.hit.id}
    if document["conclusion"] != (parent or None):
        exact["conclusion"] = document["conclusion"]
    stance = next((one for one in ("PRO", "CON") if STANCE_SIGNS[one] == sign), None)
    if document["premises"] != [{"text": text, "stance": stance}]:
        exact["premises"] = document["premises"]
    exact["context"] = document["context"]
    tag = " #unclear" * (shown.side == "unclear")
    title = _title(f"{number}. {shown.source.line}")
    return f"  {sign} <{title}>: {_escaped(text)}{tag} {_data(exact)}"


def points_argdown(found: KeyPoints) -> str:
    """Return a map of key points: the points below the question, and quotes below each point.

    Arguments without a point are below the question too. Without sides, the map omits the question.
    """
    results, titles = found.results, _Titles()
    question = _asked(results)
    lines, number = list[str](), 0
    if set(found.sides) & set(STANCE_SIGNS):
        lines = [f"{titles.of(question)}: {_escaped(question)}"]
    for side in found.sides.values():
        sign = STANCE_SIGNS.get(side.side, "")
        begin, gap = (f"  {sign} ", []) if sign else ("", [""])
        for point in side.points:
            text, meta = _line(point.heading), _data({"arguments": point.arguments})
            lines += [*gap, f"{begin}{titles.of(text)}: {_escaped(text)} {meta}"]
            for quote in point.quotes:
                number += 1
                lines.append(f"    + {_named(quote.argument, number, quote.text)}")
        for argument in side.ungrouped:
            number += 1
            said = _named(argument, number, argument.conclusion or argument.id, " #ungrouped")
            lines += [*gap, begin + said]
    head = [f"key points of the first {len(results.hits)} of {results.total}", results.config.name]
    return _map(question, head, results.fingerprint, lines)


def _named(argument: Argument, number: int, text: str, tag: str = "") -> str:
    """Return an element with an argument's source and the given text."""
    source = cite(argument)
    meta = _data({"argument": argument.id, "source": source.line, "url": source.url or None})
    return f"<{_title(f'{number}. {source.line}')}>: {_escaped(_line(text))}{tag} {meta}"


def _map(question: str, head: list[str], fingerprint: str, lines: Iterable[str]) -> str:
    """Return the map after its front matter. No Argdown tool uses these keys as settings."""
    about = {"title": question, "answer": "; ".join(head), "index": fingerprint[:12]}
    # An Argdown parser rejects a map without elements.
    lines = list(lines) or [f"# {_title(question)}"]
    # Three `=` in a row would end the front matter, even within a text.
    front = (f"{name}: {_data(value)}".replace("=", r"\u003d") for name, value in about.items())
    return "\n".join(["===", *front, "===", "", *lines]).rstrip("\n") + "\n"


def _asked(results: Results) -> str:
    """Return the claim that sides refer to."""
    return _line(results.query if results.balance is None else results.balance.claim.text)


def _line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    """Return a line of text with Argdown's special characters escaped."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _title(text: str) -> str:
    """Return a text as a title: shortened and without characters that titles cannot contain."""
    plain = _line(_NO_TITLE.sub(" ", text))
    return plain if len(plain) <= TITLE_WIDTH else plain[: TITLE_WIDTH - 1].rstrip() + "…"


class _Titles:
    """Titles of statements. Different texts have different titles."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}
        self._used: dict[str, int] = {}
        """Titles in use, with the last number that was appended to each."""

    def of(self, text: str) -> str:
        """Return the title of a text, in brackets."""
        if text not in self._of:
            title = first = _title(text) or "Statement"
            while title in self._used:
                self._used[first] += 1
                title = f"{first} ({self._used[first]})"
            self._used[title] = 1
            self._of[text] = title
        return f"[{self._of[text]}]"


def _data(value: Any) -> str:
    """Return a value as JSON that is valid YAML and cannot close the metadata's braces."""

    def written(found: re.Match[str]) -> str:
        """Return a string whose braces are written as escapes."""
        return _NO_STRING.sub(lambda one: f"\\u{ord(one[0]):04x}", found[0])

    return _STRING.sub(written, orjson.dumps(value).decode())
