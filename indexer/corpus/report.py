"""Counts and errors from reading a corpus."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Any, Literal

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import ArgsearchError

OnError = Literal["stop", "skip"]
"""Effect of a bad document: reading stops, or the document is left out and counted."""
EXAMPLES = 5
"""Maximum number of skipped documents, and of repeated ids, that a report names."""


@dataclass(slots=True)
class SourceReport:
    """Counts of one source; `bytes` and `sha256` describe it as stored, compressed or not.

    For `irds:NAME` they describe the documents in args.me's form, one JSON line each. `sha256` is
    empty until the source has been read to its end.
    """

    name: str
    form: str = ""
    bytes: int = 0
    sha256: str = ""
    documents: int = 0
    """Number of documents that were kept from this source."""


@dataclass(slots=True)
class ReadReport:
    """Totals over all sources read with this report; they count documents unless noted."""

    documents: int = 0
    """Documents that were kept: they were not skipped, and their ids were new."""
    duplicates: int = 0
    """Documents that were left out because an earlier document has the same id."""
    null_conclusions: int = 0
    """Documents that were kept although they have no conclusion."""
    empty_conclusions: int = 0
    """Documents that were kept although their conclusion is only white space."""
    empty_premises: int = 0
    """Documents that were kept although they have no premise text."""
    replaced_characters: int = 0
    """Characters that were replaced: a lone surrogate by U+FFFD, NUL by a space."""
    skipped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Number of skipped documents, by the part at fault."""
    skipped_examples: list[str] = field(default_factory=list)
    """The first few skipped documents, with their place and the reason."""
    duplicate_examples: list[str] = field(default_factory=list)
    """The first few ids that were repeated."""
    sources: list[SourceReport] = field(default_factory=list)
    made_id: bool = False
    """True if the last document's id was made from the name of its source and its row."""

    @property
    def name(self) -> str:
        """The sources' names, joined by a plus sign."""
        return " + ".join(source.name for source in self.sources)

    @property
    def made_by(self) -> str:
        """Name of the source that the last document's id was made from; empty if it had an id."""
        return self.sources[-1].name if self.made_id else ""

    @property
    def sha256(self) -> str:
        """SHA-256 of the source; of several sources, the SHA-256 of their SHA-256s, one a line."""
        if len(self.sources) == 1:
            return self.sources[0].sha256
        return sha256("".join(f"{s.sha256}\n" for s in self.sources).encode()).hexdigest()

    def keep(self, argument: Argument) -> None:
        """Count one document that is kept."""
        self.documents += 1
        conclusion = argument.conclusion
        if conclusion is None:
            self.null_conclusions += 1
        elif not conclusion or conclusion.isspace():
            self.empty_conclusions += 1
        for premise in argument.premises:
            if premise.text and not premise.text.isspace():
                return
        self.empty_premises += 1

    def skip(self, kind: str, message: str) -> None:
        """Count one bad document."""
        self.skipped += 1
        self.reasons[kind] += 1
        if len(self.skipped_examples) < EXAMPLES:
            self.skipped_examples.append(message)

    def repeat(self, id_: str) -> None:
        """Count one document with a repeated id."""
        self.duplicates += 1
        if len(self.duplicate_examples) < EXAMPLES:
            self.duplicate_examples.append(id_)

    def describe(self) -> dict[str, Any]:
        """Return the corpus's description for the manifest: its names, SHA-256 and counts."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "sources": [asdict(source) for source in self.sources],
            **{one.name: getattr(self, one.name) for one in fields(self) if one.type == "int"},
            "reasons": dict(sorted(self.reasons.items())),
        }

    def summary(self) -> list[str]:
        """Return the report as text, one line per fact; facts with a count of 0 are omitted."""
        reasons = ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.reasons.items()))
        facts = (
            (self.null_conclusions, "without a conclusion (kept)"),
            (self.empty_conclusions, "with a blank conclusion (kept)"),
            (self.empty_premises, "without premise text (kept)"),
            (self.duplicates, "with an id that already exists (skipped)"),
            (self.skipped, f"skipped ({reasons})"),
        )
        noun = "document" if self.documents == 1 else "documents"
        lines = [f"{self.documents:,} {noun} from {self.name}"]
        lines += [f"{count:,} {what}" for count, what in facts if count]
        if self.replaced_characters:
            lines.append(f"{self.replaced_characters:,} replaced characters (NUL, lone surrogates)")
        return lines + [f"skipped: {example}" for example in self.skipped_examples]


SHOWN_CHARACTERS = 60
"""Maximum number of characters of a bad value that a message shows."""


class CorpusError(ArgsearchError):
    """A source cannot be read; the message says where, what is wrong, and what is allowed."""

    def __init__(self, source: str, position: str, problem: str) -> None:
        where = f"{source}: {position}" if position else source
        super().__init__(" ".join(f"{where}: {problem}".split()))
        self.source = source
        self.position = position
        self.problem = problem


class DocumentFault(ValueError):
    """A document is bad, but the rest of its source can still be read.

    A report counts the document under `kind`, the part at fault: `json`, `id`, `conclusion`,
    `premises`, `stance`, `context`, `row`, `encoding`, `document`, `relation`, `metadata`, `claim`.
    """

    def __init__(self, kind: str, problem: str) -> None:
        super().__init__(problem)
        self.kind = kind
        self.problem = problem


class StreamFault(ValueError):
    """A container is truncated, damaged or of the wrong kind, so nothing after it can be read."""


def shown(value: object) -> str:
    """Return a value as Python writes it, in ASCII, cut after `SHOWN_CHARACTERS` characters.

    >>> shown("maybe")
    "'maybe'"
    """
    text = ascii(value[: 2 * SHOWN_CHARACTERS] if isinstance(value, str | bytes | list) else value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."
