"""Schemas of the tools' parameters and answers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from argsearch.api.mcp.budget import BUDGET, MAX_BYTES, MIN_BYTES
from argsearch.engine import parameters
from argsearch.engine.parameters import HitSide, Parameter

StanceName = Literal["PRO", "CON"]
QUESTION = parameters.QUERY.but(name="question", doc="A question, claim or keywords.", high=2_000)
ID_OR_TEXT = QUESTION.but(
    name="id_or_text", doc="An id returned by `search`, or a text.", high=20_000
)
ARGUMENT_ID = Parameter("id", str, "An argument's id, as returned by `search`.", required=True)
LIMIT = Parameter("limit", int, "Maximum number of arguments.", 5, low=1, high=50)
SIDE_OF_QUESTION = parameters.SIDE.but(
    doc="Only arguments on this side, from the first 100; both: for and against alternately."
)
CURSOR = Parameter("cursor", str, "The cursor of a previous answer, to get the results after it.")
BYTES = Parameter(
    "max_bytes", int, "Maximum size of the answer in bytes.", BUDGET, low=MIN_BYTES, high=MAX_BYTES
)


class ToolAnswer(BaseModel):
    """Fields of every answer."""

    fingerprint: str = Field(description="Fingerprint of the index; cursors are valid only for it.")
    cursor: str | None = Field(
        default=None, description="To continue, repeat the request with this cursor."
    )
    notes: list[str] = []


class Gist(BaseModel):
    """An argument in brief; the tool `argument` returns its whole text."""

    rank: int
    id: str
    conclusion: str
    stance: StanceName | None = Field(description="Stance of the premises towards the conclusion.")
    side: HitSide | None = Field(
        default=None,
        description="Side of the question, or a counter-argument's stance on the attacked author.",
    )
    probability: float | None = Field(default=None, description="Probability of that side.")
    gist: str = Field(description="One to three sentences of the premises; … marks omissions.")
    beginning: bool = Field(
        default=False,
        description="True if it is just the text's beginning, as no sentence states its point.",
    )
    source: str
    url: str | None = None


class Found(ToolAnswer):
    """Arguments for a question."""

    question: str
    total: int = Field(description="Number of matches, or of those on the requested side.")
    claim: str | None = Field(default=None, description="The claim that `for` supports.")
    arguments: list[Gist] = []


class Whole(ToolAnswer):
    """An argument, or a part of a long one."""

    id: str
    conclusion: str
    stance: StanceName | None
    text: str = ""
    begin: int = Field(description="Start of this part in the whole text, in code points.")
    length: int = Field(description="Length of the whole text, in code points.")
    source: str
    url: str | None = None


class Countered(ToolAnswer):
    """Arguments against another argument."""

    asked: str = Field(description="The attacked conclusion, or the beginning of the text.")
    arguments: list[Gist] = []


class ToolQuote(BaseModel):
    """A quote from an argument; the tool `argument` returns its whole text."""

    id: str
    text: str = Field(description="Verbatim; … marks omissions.")
    probability: float = Field(description="Certainty that the quote belongs here.")
    url: str | None = None


class ToolSection(BaseModel):
    """A heading and quotes from arguments."""

    heading: str
    side: Literal["for", "against", "all"] = Field(description="Side that all its quotes take.")
    arguments: int = Field(description="Lower bound on all arguments that make this point.")
    quotes: list[ToolQuote]


class Points(ToolAnswer):
    """The key points on each side."""

    question: str
    claim: str | None = Field(default=None, description="The claim that `for` supports.")
    grouped: dict[str, int] = Field(description="Number of arguments per side that make a point.")
    ungrouped: dict[str, int] = Field(description="Number of arguments per side without a point.")
    unclear: int = Field(description="Number of arguments read that take no clear side.")
    points: list[ToolSection] = Field(
        default=[], description="Headed by its first quote; the three most certain quotes follow."
    )


class Challenged(ToolAnswer):
    """The arguments for and against a text."""

    about: str | None = Field(description="The claim that sides refer to; null if none was found.")
    side: Literal["for", "against", "unclear"] | None = Field(description="The author's side.")
    probability: float | None = Field(description="Probability of the likelier side.")
    opposite: Literal["for", "against"] | None = Field(
        description="The side opposed to the author; if null, ask for the author's side and pass "
        "it as `side`."
    )
    sections: list[ToolSection] = Field(
        default=[],
        description="Each has one quote, so headings repeat; points against the text come first.",
    )


class Explained(ToolAnswer):
    """The derivation of an argument's score."""

    question: str
    id: str
    rank: int
    score: float
    because: list[str] = Field(
        default=[], description="One line per value, indented below the value derived from it."
    )
