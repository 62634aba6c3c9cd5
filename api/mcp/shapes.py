"""The shapes of what tools are asked and of their answers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from argsearch.api.mcp.budget import LEAST, MOST, USUAL
from argsearch.indexer import parameters
from argsearch.indexer.parameters import Parameter

StanceName = Literal["PRO", "CON"]
SideName = Literal["for", "against", "supports", "unclear"]
QUESTION = parameters.QUERY.but(name="question", doc="A question, claim or some words.", high=2_000)
ID_OR_TEXT = QUESTION.but(
    name="id_or_text", doc="An id as `search` gives it, or a text.", high=20_000
)
ID = Parameter("id", str, "The id of an argument, as `search` gives it.", required=True)
LIMIT = Parameter("limit", int, "Arguments at most.", 5, low=1, high=50)
SIDE = parameters.SIDE.but(
    doc="Only what stands so to the question, among the first 100; both: for and against by turns."
)
CURSOR = Parameter("cursor", str, "The cursor of an answer, to go on after it.")
BYTES = Parameter("max_bytes", int, "Bytes of the answer at most.", USUAL, low=LEAST, high=MOST)


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


class ToolPoint(BaseModel):
    """A point of a side, in the words of one argument."""

    side: Literal["for", "against", "all"]
    point: str
    arguments: int = Field(description="How many make it, at least.")
    ids: list[str] = Field(description="Of these, the surest first, ten at most.")
    url: str | None = Field(default=None, description="Where the point's own argument stands.")


class Points(ToolAnswer):
    """What is said on each side."""

    question: str
    claim: str | None = Field(default=None, description="What being `for` means.")
    grouped: dict[str, int] = Field(description="Arguments of each side that make a point.")
    ungrouped: dict[str, int] = Field(description="Those that make none of them.")
    unclear: int = Field(description="Arguments that were read and are on no clear side.")
    points: list[ToolPoint] = []


class ToolPassage(BaseModel):
    """A sentence of an argument; the tool `argument` gives its whole text."""

    side: Literal["for", "against"] = Field(description="Of its argument, towards `about`.")
    probability: float = Field(description="That it meets the claim, or is a reason for its side.")
    text: str
    id: str
    url: str | None = None


class ToolFinding(BaseModel):
    """A claim of a text and what meets it, or what speaks for or against the text as a whole."""

    claim: str | None = Field(description="Of the text; null: what it is about as a whole.")
    passages: list[ToolPassage] = Field(description="None where nothing surely meets the claim.")


class Challenged(ToolAnswer):
    """What is found on a text."""

    about: str | None = Field(description="The claim that sides refer to; null: none was found.")
    side: Literal["for", "against", "unclear"] | None = Field(description="The author's.")
    probability: float | None = Field(description="Of that side, or of the likelier one.")
    opposite: Literal["for", "against"] | None = Field(
        description="The side that counters the author; null: ask for his, and give it as `side`."
    )
    findings: list[ToolFinding] = []


class Explained(ToolAnswer):
    """Why an argument stands where it stands."""

    question: str
    id: str
    rank: int
    score: float
    because: list[str] = Field(
        default=[], description="A line a value, indented under the value that follows from it."
    )
