"""One argument as a page of its own, made here without scripts; text only ever as text."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote, urlencode

from argsearch.api.counters import Counters, ShownCounter
from argsearch.engine import Engine
from argsearch.engine.overview.examples import predicted_quality
from argsearch.engine.text.citation import bibtex, cite, markdown_source
from argsearch.engine.text.snippet import mark, word_weights
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.parts import PartMissing

WEB = Path(__file__).parent.parent / "web"
STANCES = {Stance.PRO: "Argues for", Stance.CON: "Argues against", None: "On"}
"""How an argument stands to its own conclusion, in words."""

COUNTERS = 5
"""Counter-arguments on a page."""
COPIES = 20
"""Near-copies that a page links."""


@dataclass(frozen=True)
class Asked:
    """What an address says beside the argument."""

    question: str = ""
    index: str = ""
    """Which index it is of, where a server has several; "" is the first one."""

    def query(self, question: bool = True) -> str:
        """The same for another address; question: whether with it."""
        given = {"index": self.index, "q": self.question if question else ""}
        kept = {name: value for name, value in given.items() if value.strip()}
        return f"?{urlencode(kept)}" if kept else ""

    def page(self, id: str) -> str:
        """Where the page of an argument is; ids may hold any character."""
        return f"/arguments/{quote(id, safe='')}{self.query()}"

    def json(self, id: str) -> str:
        """Where the argument is as JSON."""
        name = f"{quote(self.index, safe='')}/" if self.index else ""
        return f"/api/{name}arguments/{quote(id, safe='')}"


NOTHING = Asked()


def argument_page(engine: Engine, argument: Argument, asked: Asked = NOTHING) -> str:
    """The page: the whole text, the question's words marked, and where it comes from."""
    words = word_weights(asked.question, engine.backend) if asked.question.strip() else {}
    conclusion = argument.conclusion or ""
    said = _marked(conclusion, words) if conclusion else "(no conclusion given)"
    quoted = f"“<bdi>{said}</bdi>”" if conclusion else said
    texts = [text for premise in argument.premises for text in _paragraphs(premise.text)]
    body = "\n".join(f'<p dir="auto">{_marked(text, words)}</p>' for text in texts)
    facts = "\n".join(
        f"<dt>{name}</dt><dd>{value}</dd>" for name, value in _facts(engine, argument, asked)
    )
    return _page(
        "argument",
        title=escape(conclusion or f"Argument {argument.id}"),
        heading=_own(engine, argument) + quoted,
        back=_back(asked),
        home=_home(asked),
        text=body or '<p class="none">No premise is given.</p>',
        facts=facts,
        counters=_counters(engine, argument, asked),
        bibtex=escape(bibtex(argument)),
        markdown=escape(markdown_source(argument)),
        json=escape(asked.json(argument.id)),
    )


def missing_page(id: str, asked: Asked = NOTHING) -> str:
    """The page of an id that no argument has."""
    return _page("missing", id=escape(id), back=_back(asked), home=_home(asked))


def _page(name: str, **parts: str) -> str:
    """A page by its template, read anew for each request; `parts` are HTML, escaped already."""
    template = Template((WEB / f"{name}.html").read_text(encoding="utf-8"))
    return template.substitute(parts)


def _home(asked: Asked) -> str:
    return escape(f"/{asked.query(question=False)}")


def _back(asked: Asked) -> str:
    if not asked.question.strip():
        return f'<a href="{_home(asked)}">Ask a question</a>'
    said = f"“<bdi>{escape(asked.question)}</bdi>”"
    return f'<a href="{escape(f"/{asked.query()}")}">All arguments on {said}</a>'


def _marked(text: str, words: dict[str, float]) -> str:
    pieces = mark(text, words).parts() if words else [(text, False)]
    return "".join(f"<mark>{escape(p)}</mark>" if found else escape(p) for p, found in pieces)


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a premise: what lines separate."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def _facts(engine: Engine, argument: Argument, asked: Asked) -> list[tuple[str, str]]:
    """What else is known of it, as HTML."""
    source = cite(argument)
    line = f"<bdi>{escape(source.line)}</bdi>"
    if source.url:
        line = f'<a href="{escape(source.url)}" rel="noopener noreferrer external">{line}</a>'
    facts = [("Source", line)]
    predicted = predicted_quality(engine.backend, argument.id)
    if predicted is not None:
        facts.append(("Quality", f"{predicted:.2f} of 1, as the quality model predicts"))
    facts.append(("Length", f"{len(argument.premise.split()):,} words"))
    if copies := _copies(engine, argument):
        links = [_link(id, escape(id), asked) for id in copies[:COPIES]]
        more = f" and {len(copies) - COPIES:,} more" if len(copies) > COPIES else ""
        facts.append(("Near-copies", f"{', '.join(links)}{more}"))
    return [*facts, ("Id", f"<code>{escape(argument.id)}</code>")]


def _copies(engine: Engine, argument: Argument) -> list[str]:
    try:
        return engine.backend.copies(argument.id)
    except PartMissing:
        return []


def _link(id: str, said: str, asked: Asked) -> str:
    """A link to an argument's page; `said` is HTML."""
    return f'<a href="{escape(asked.page(id))}"><bdi>{said}</bdi></a>'


def _counters(engine: Engine, argument: Argument, asked: Asked) -> str:
    """The section of what counters it, as HTML; empty where the index has no part for that."""
    try:
        found = Counters(engine, engine.counter(argument, COUNTERS))
    except PartMissing:
        return ""
    except InvalidParameter:  # it has no word that the index knows
        found = None
    hits = found.hits if found else ()
    items = "\n".join(_counter(hit, _own(engine, hit.argument), asked) for hit in hits)
    body = f'<ol class="counters">\n{items}\n</ol>' if items else "<p>None was found.</p>"
    title = '<h2 id="counters">Counter-arguments</h2>'
    return f'<section id="counter" aria-labelledby="counters">{title}\n{body}\n</section>'


def _own(engine: Engine, argument: Argument) -> str:
    """How it stands to its conclusion, as HTML; empty where all of an index stand alike."""
    return (
        f'<span class="own">{STANCES[argument.stance]}:</span> ' if engine.known.two_sided else ""
    )


def _counter(shown: ShownCounter, own: str, asked: Asked) -> str:
    argument = shown.argument
    conclusion = escape(argument.conclusion or f"Argument {argument.id}")
    heading = f"<h3>{own}{_link(argument.id, conclusion, asked)}</h3>"
    pieces = (f"<mark>{escape(p)}</mark>" if m else escape(p) for p, m in shown.sentence.parts())
    said = "".join(pieces) or '<span class="none">No premise is given.</span>'
    return f'<li>{heading}<p class="sentence" dir="auto">{said}</p></li>'
