"""The shapes of what tools are asked and of their answers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from argsearch.api.mcp.budget import BUDGET, MAX_BYTES, MIN_BYTES
from argsearch.engine import parameters
from argsearch.engine.parameters import Parameter

StanceName = Literal["PRO", "CON"]
SideName = Literal["for", "against", "supports", "unclear"]
QUESTION = parameters.QUERY.but(name="question", doc="A question, claim or some words.", high=2_000)
ID_OR_TEXT = QUESTION.but(
    name="id_or_text", doc="An id as `search` gives it, or a text.", high=20_000
)
ARGUMENT_ID = Parameter("id", str, "The id of an argument, as `search` gives it.", required=True)
LIMIT = Parameter("limit", int, "Arguments at most.", 5, low=1, high=50)
SIDE_OF_QUESTION = parameters.SIDE.but(
    doc="Only what stands so to the question, among the first 100; both: for and against by turns."
)
CURSOR = Parameter("cursor", str, "The cursor of an answer, to go on after it.")
BYTES = Parameter(
    "max_bytes", int, "Bytes of the answer at most.", BUDGET, low=MIN_BYTES, high=MAX_BYTES
)


class ToolAnswer(BaseModel):
    """What every answer has."""

    fingerprint: str = Field(description="Which index answered; a cursor is only good for it.")
    cursor: str | None = Field(
        default=None, description="Give it again, alike asked, for what follows."
    )
    notes: list[str] = []


class Gist(BaseModel):
    """An argument in short; the tool `argument` gives its whole text."""

    rank: int
    id: str
    conclusion: str
    stance: StanceName | None = Field(description="Of the premises towards the conclusion.")
    side: SideName | None = Field(
        default=None,
        description="Towards the question; of a counter towards the author.",
    )
    probability: float | None = Field(default=None, description="Of that side.")
    gist: str = Field(description="The premises in one to three sentences; … where it was cut.")
    beginning: bool = Field(
        default=False, description="Whether it is how the text begins: nothing states its point."
    )
    source: str
    url: str | None = None


class Found(ToolAnswer):
    """Arguments for a question."""

    question: str
    total: int = Field(description="How many match in all, or on the side that was asked for.")
    claim: str | None = Field(default=None, description="What being `for` means.")
    arguments: list[Gist] = []


class Whole(ToolAnswer):
    """An argument, or a part of a long one."""

    id: str
    conclusion: str
    stance: StanceName | None
    text: str = ""
    begin: int = Field(description="Where in the whole text this begins, in code points.")
    length: int = Field(description="Code points of the whole text.")
    source: str
    url: str | None = None


class Countered(ToolAnswer):
    """Arguments that answer another."""

    asked: str = Field(description="What is countered: a conclusion or the beginning of a text.")
    arguments: list[Gist] = []


class ToolQuote(BaseModel):
    """Words of an argument; the tool `argument` gives its whole text."""

    id: str
    text: str = Field(description="Word for word; … where something is left out.")
    probability: float = Field(description="How sure it is that it belongs here.")
    url: str | None = None


class ToolSection(BaseModel):
    """A heading, and what arguments say to it."""

    heading: str
    side: Literal["for", "against", "all"] = Field(description="Of all its quotes.")
    arguments: int = Field(description="How many say so, at least; quoted or not.")
    quotes: list[ToolQuote]


class Points(ToolAnswer):
    """What is said on each side."""

    question: str
    claim: str | None = Field(default=None, description="What being `for` means.")
    grouped: dict[str, int] = Field(description="Arguments of each side that make a point.")
    ungrouped: dict[str, int] = Field(description="Those that make none of them.")
    unclear: int = Field(description="Arguments that were read and are on no clear side.")
    points: list[ToolSection] = Field(
        default=[], description="Headed by the first quote; three quotes each, the surest."
    )


class Challenged(ToolAnswer):
    """What is found on a text."""

    about: str | None = Field(description="The claim that sides refer to; null: none was found.")
    side: Literal["for", "against", "unclear"] | None = Field(description="The author's.")
    probability: float | None = Field(description="Of that side, or of the likelier one.")
    opposite: Literal["for", "against"] | None = Field(
        description="The side that speaks against the author; null: ask for the author's side, and "
        "give it as `side`."
    )
    sections: list[ToolSection] = Field(
        default=[],
        description="A quote each, so that several have one heading; against the text first.",
    )


class Explained(ToolAnswer):
    """Why an argument stands where it stands."""

    question: str
    id: str
    rank: int
    score: float
    because: list[str] = Field(
        default=[], description="A line a value, indented under the value that follows from it."
    )
