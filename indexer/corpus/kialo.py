"""Reads Kialo's text export: a discussion's title, and numbered claims for or against each other.

Each claim is a document: its conclusion is the parent claim (1.2 for 1.2.1), its stance Pro or Con.
Theses serve only as conclusions. A claim `-> See 1.3.` repeats claim 1.3 for or against another.
Markdown links are reduced to their text. Their addresses go into the context as `sources`, beside
`discussionTitle` and the claim's number, `claim`. An id is the file name and the claim's number.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from argsearch.indexer.corpus.ids import file_name
from argsearch.indexer.corpus.jsonlines import Record
from argsearch.indexer.corpus.mending import whole_text
from argsearch.indexer.corpus.report import DocumentFault, ReadReport, shown

HEADS = (b"Discussion Title:", b"Discussion Name:")
"""First bytes of an export."""
MOST_LINKS = 8
"""Maximum number of references to follow in a chain."""
_CLAIM = re.compile(r"((?:\d+\.)+)(?:[ \t]+(?:((?i:Pro|Con|Thesis)):)?[ \t]*(.*))?")
_SEE = re.compile(r"->\s*See\s+([\d.]+?)\.?\s*")
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)\)")


@dataclass
class _Claim:
    """A numbered claim."""

    line: int
    stance: str
    """PRO or CON; THESIS or empty for a thesis."""
    lines: list[str]

    @cached_property
    def text(self) -> str:
        """Text of the claim."""
        return "\n".join(self.lines)


def records(blocks: Iterable[bytes], report: ReadReport) -> Iterator[Record]:
    """Return the line and the document (or fault) of each claim for or against another claim."""
    head, *lines = io.StringIO(whole_text(blocks, report), newline=None)
    title, name = head.partition(":")[2].strip(), file_name(report.sources[-1].name)
    claims: dict[str, _Claim] = {}
    twice: list[Record] = []
    last: _Claim | None = None
    theses = 0
    for number, line in enumerate(lines, 2):
        found = _CLAIM.fullmatch(line.strip())
        key = found[1].rstrip(".") if found else ""
        known = not last or key.rpartition(".")[0] in claims or key == str(theses + 1)
        # Otherwise this is a line of a claim's text that begins with a number, such as a year.
        if found and (known or found[2]):
            if "." not in key and len(key) < 10:
                theses = max(theses, int(key))
            last = _Claim(number, (found[2] or "").upper(), [found[3] or ""])
            if key in claims:
                said = f"claim {shown(key)} is already on line {claims[key].line:,}; remove one"
                twice.append((number, DocumentFault("claim", said)))
            claims.setdefault(key, last)
        elif last and line.strip():
            last.lines.append(line.strip())
    made = [(one.line, _document(key, title, name, claims)) for key, one in claims.items()]
    kept = (one for one in [*made, *twice] if one[1] is not None)
    return iter(sorted(kept, key=lambda one: one[0]))


def _document(key: str, title: str, name: str, claims: Mapping[str, _Claim]) -> Any:
    """Return the document for a claim, or its fault, or None for a thesis."""
    claim, above = claims[key], key.rpartition(".")[0]
    if claim.stance == "THESIS" or not (above or claim.stance):
        return None
    if not claim.stance:
        return DocumentFault("stance", f"claim {shown(key)} must begin with Pro: or Con:")
    if above not in claims:
        wrong = f"claim {shown(key)} is below {shown(above)}, which does not exist"
        return DocumentFault("claim", f"{wrong}; a claim's number must extend its parent's")
    said, conclusion = _resolved(claim, claims), _resolved(claims[above], claims)
    if said is None or conclusion is None:
        at = shown((claim if said is None else claims[above]).text)
        advice = "refer to a claim that has text"
        return DocumentFault("claim", f"claim {shown(key)}: {at} does not lead to a text; {advice}")
    about: dict[str, Any] = {"discussionTitle": title, "claim": key}
    text = _LINK.sub(r"\1", said)
    sources = [url for _, url in _LINK.findall(said)]
    return {
        "id": f"{name}-{key}",
        "conclusion": _LINK.sub(r"\1", conclusion),
        "premises": [{"text": text, "stance": claim.stance}],
        "context": about | ({"sources": sources} if sources else {}),
    }


def _resolved(claim: _Claim, claims: Mapping[str, _Claim]) -> str | None:
    """Return the text of a claim or of the claim that it refers to; None if that is missing."""
    for _ in range(MOST_LINKS):
        found = _SEE.fullmatch(claim.text)
        if not found:
            return claim.text
        if found[1] not in claims:
            return None
        claim = claims[found[1]]
    return None
