"""Citations of an argument's source as a line, as Markdown and as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from argsearch.indexer.corpus.argument import Argument

_BIBTEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_DAY = re.compile(r"\d{4}(-\d{2}-\d{2})?")
_ID = re.compile(r"\d{5,}")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|!])")


@dataclass(frozen=True, slots=True)
class Citation:
    """The source of an argument, read from its context. Missing parts are empty."""

    id: str
    title: str = ""
    url: str = ""
    portal: str = ""
    author: str = ""
    date: str = ""
    """Date of the argument (YYYY-MM-DD or YYYY), if the portal gives it."""
    accessed: str = ""
    """Date on which the portal was read."""

    @property
    def line(self) -> str:
        """Author, title, portal and date in one line, or the id if all of them are missing."""
        parts = (self.author, self.title, self.portal, self.date)
        return ", ".join(dict.fromkeys(part for part in parts if part)) or self.id

    def to_dict(self) -> dict[str, str | None]:
        """Return the source as data for JSON: `title` is the whole line, `name` only the title."""
        parts = {"name": self.title, "author": self.author, "portal": self.portal}
        known = {"url": self.url, **parts, "date": self.date}
        return {"title": self.line, **{key: value or None for key, value in known.items()}}


def cite(argument: Argument) -> Citation:
    """Return the citation of an argument, from the context keys that args.me's portals use."""
    context = argument.context
    url = _first(context, "sourceUrl", "url")
    titles = (_first(context, key) for key in ("sourceTitle", "discussionTitle", "topic"))
    return Citation(
        id=argument.id,
        # Transcripts of parliaments have a long number in place of a title, unlike "1984".
        title=next((one for one in titles if one and not _ID.fullmatch(one)), ""),
        url=url if is_web_address(url) else "",
        portal=_first(context, "sourceDomain", "portal") or _host(url),
        author=_first(context, "author", "authorName"),
        date=_day(context, "date"),
        accessed=_day(context, "acquisitionTime"),
    )


def is_web_address(url: str) -> bool:
    """Return True if a URL is safe to link to: http or https, never a script."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.") if is_web_address(url) else ""


def _first(context: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        value = context.get(key)
        if isinstance(value, str) and (line := " ".join(value.split())):
            return line
    return ""


def _day(context: Mapping[str, Any], key: str) -> str:
    match = _DAY.match(_first(context, key))
    return match.group() if match else ""


def bibtex(argument: Argument) -> str:
    """Return a BibTeX entry for the source, with the argument's id in the note."""
    source = cite(argument)
    fields = {
        "author": source.author and "{" + _escaped(source.author) + "}",
        "title": "{" + _escaped(source.title or argument.conclusion or argument.id) + "}",
        "howpublished": _escaped(source.portal),
        "year": source.date[:4],
        "url": source.url.translate({ord(c): f"%{ord(c):02X}" for c in " {}\\"}),
        "urldate": source.accessed if source.url else "",
        "note": _escaped(f"Argument {argument.id}" + _claim(argument)),
    }
    body = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields.items() if value)
    return f"@misc{{{bibtex_key(argument.id)},\n{body}\n}}\n"


def bibtex_key(id: str) -> str:
    """Return an id as a BibTeX key, with the code point in place of any character not allowed."""
    return re.sub(r"[^A-Za-z0-9:.+/-]", lambda c: f"u{ord(c.group()):x}", id)


def _claim(argument: Argument) -> str:
    if not argument.conclusion:
        return ""
    side = f" ({argument.stance.value.lower()})" if argument.stance else ""
    return f" on: {' '.join(argument.conclusion.split())}{side}"


def _escaped(text: str) -> str:
    """Return a text on one line, with BibTeX's special characters escaped."""
    return "".join(_BIBTEX.get(c, c) for c in " ".join(text.split()) if c.isprintable())


def markdown_text(text: str) -> str:
    """Return a text on one line, with Markdown's special characters escaped."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def markdown_source(argument: Argument) -> str:
    """Return the source as Markdown, with a link if there is an address."""
    source = cite(argument)
    text = markdown_text(source.line)
    address = source.url.translate({ord(c): f"%{ord(c):02X}" for c in " <>"})
    return f"[{text}](<{address}>)" if address else text
