"""Answers that quote the corpus: sections with a heading, and under each the words of arguments.

Key points and challenged texts are told so. Nothing is written: a quote stands word for word in its
argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from argsearch.engine.cached import cached_property
from argsearch.engine.text.citation import Citation, cite
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.explanation import Explanation

TWO_SIDES = ("for", "against")
ALL = "all"
"""The side of everything where a question, or an index, has no sides."""


@dataclass(frozen=True)
class Quote:
    """Words of one argument, and why they are quoted."""

    argument: Argument
    text: str
    """Word for word; an ellipsis where sentences between are left out."""
    begin: int
    """Where that begins in the premises, joined by line breaks, in code points."""
    end: int
    side: str
    """Of its argument: `for`, `against`, or `all` where there are no sides."""
    probability: float
    """How sure the reason is, in [0, 1]."""
    reason: str
    """Why it is quoted, in a few words."""
    explain: Callable[[], Explanation] = field(compare=False, repr=False)
    """Makes `explanation`."""

    @property
    def id(self) -> str:
        """The argument's id."""
        return self.argument.id

    @property
    def source(self) -> Citation:
        """Where the argument comes from."""
        return cite(self.argument)

    @cached_property
    def explanation(self) -> Explanation:
        """Why it is quoted, as a tree; the root's value is `probability`."""
        return self.explain()


@dataclass(frozen=True)
class QuoteSection:
    """A heading and the quotes that belong below it, the best first."""

    heading: str
    side: str
    """Of all its quotes: `for`, `against` or `all`."""
    arguments: int
    """How many arguments say so, quoted or not."""
    quotes: tuple[Quote, ...]
    """One an argument."""
