"""Answers that quote the corpus: sections, each with a heading and quotes from arguments.

Key points and challenged texts have this form. Every quote is verbatim; no text is generated.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate

from argsearch.engine.cached import cached_property
from argsearch.engine.parameters import SideName
from argsearch.engine.results.spread import debate_of
from argsearch.engine.text.citation import Citation, cite
from argsearch.engine.text.snippet import ELLIPSIS
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.explanation import Explanation

TWO_SIDES: tuple[SideName, SideName] = ("for", "against")
ALL = "all"
"""The side of every argument if the question or the index has no sides."""


@dataclass(frozen=True)
class Quote:
    """A quote from an argument with the reason for quoting it."""

    argument: Argument
    text: str
    """The verbatim text, with an ellipsis in place of sentences that are left out."""
    begin: int
    """Start of the quote, as a code-point offset in the premises when joined by line breaks."""
    end: int
    side: str
    """Side of the argument: `for`, `against`, or `all` if there are no sides."""
    probability: float
    """Certainty of the reason, in [0, 1]."""
    reason: str
    """The reason for the quote in a few words."""
    explain: Callable[[], Explanation] = field(compare=False, repr=False)
    """Function that computes `explanation`."""

    @property
    def id(self) -> str:
        """Id of the argument."""
        return self.argument.id

    @property
    def source(self) -> Citation:
        """Source of the argument."""
        return cite(self.argument)

    @cached_property
    def explanation(self) -> Explanation:
        """Derivation of `probability`, which is the value of its root."""
        return self.explain()


@dataclass(frozen=True)
class QuoteSection:
    """A heading with its quotes, best first."""

    heading: str
    side: str
    """Side of all its quotes: `for`, `against` or `all`."""
    arguments: int
    """Number of arguments that make this point, quoted or not."""
    quotes: tuple[Quote, ...]
    """At most one quote per argument."""

    @property
    def debates(self) -> int:
        """Number of debates or sources quoted; an argument without either counts as one."""
        return len({debate_of(quote.argument) or quote.id for quote in self.quotes})

    @property
    def years(self) -> tuple[str, str] | None:
        """First and last year among the quotes with a known year, or None if no year is known."""
        years = [year for quote in self.quotes if (year := quote.source.date[:4])]
        return (min(years), max(years)) if years else None


def spans_in(gist: str, text: str) -> list[tuple[int, int]]:
    """Return where each piece of a gist starts and ends in a text, except pieces not found.

    Pieces are separated by an ellipsis between spaces. Any white space matches any other.
    """
    words, found, at = list(re.finditer(r"\S+", text)), list[tuple[int, int]](), 0
    single = " ".join(word[0] for word in words)
    # Where each word begins in the text with single spaces.
    begins = list(accumulate((len(word[0]) + 1 for word in words), initial=0))

    def place(index: int) -> int:
        number = bisect_right(begins, index) - 1
        return words[number].start() + index - begins[number]

    for piece in gist.strip(ELLIPSIS).split(f" {ELLIPSIS} "):
        sought = " ".join(piece.split())
        begin = single.find(sought, at)
        if sought and begin >= 0:
            at = begin + len(sought)
            found.append((place(begin), place(at - 1) + 1))
    return found
