"""The shapes of HTTP requests and answers: parameters with what they allow, and documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from argsearch.api.serialise import MEMBERS
from argsearch.engine.config import Rerank, names
from argsearch.engine.units import UNITS, Unit

MOST_HITS = 1000
"""The largest k of one request."""
DEEPEST = 1_000_000
"""The largest page."""
MOST_EXPLAINED = 100
"""How many hits of one request are explained, the first ones; args.me pages are no longer."""
MOST_SUGGESTED = 20
"""Suggestions of one request."""
LONGEST_QUERY = 2_000
"""Characters of the longest query."""
WORDY = r"[^\s\x1c-\x1f\x85\ufeff]"
"""A character that is no white space, to Python, to ECMA-262 and to pydantic alike."""
RERANKS: tuple[str, ...] = Rerank.__dataclass_fields__["method"].metadata["choices"]

ALLOWED = {
    "q": f"a text with at least one word and at most {LONGEST_QUERY} characters",
    "query": f"a text with at least one word and at most {LONGEST_QUERY} characters",
    "k": f"a whole number from 1 to {MOST_HITS}",
    "page": f"a whole number from 1 to {DEEPEST}",
    "pageSize": f"a whole number from 1 to {MOST_EXPLAINED}",
    "stance": "pro, con",
    "side": "for, against, unclear, both",
    "sides": "true, false",
    "collapse": "true, false",
    "where": "COLUMN OPERATOR VALUE with a column of the index, such as quality >= .6",
    "sort": "a column of the index with numbers, such as date; -date for falling",
    "facet": "a column of the index, such as stance",
    "config": ", ".join(names()),
    "w_cluster": "a number from -1000.0 to 1000.0",
    "w_quality": "a number from -1000.0 to 1000.0",
    "w_premises": "a number from 0 to 1000.0",
    "rerank": ", ".join(RERANKS),
    "explain": "true, false",
    "format": "json, csv, markdown, bibtex",
}
"""What each parameter may be, in words: for the documentation and for errors alike."""


def one_of(name: str, values: Sequence[str]) -> AfterValidator:
    """The check of a parameter that has one of the values, or none."""

    def check(value: str | None) -> str | None:
        """The value, if it is allowed or absent; raises ValueError."""
        if value is not None and value not in values:
            raise ValueError(f"{name} is {value!r}; allowed: {', '.join(values)}")
        return value

    return AfterValidator(check)


def in_lower_case(stance: object) -> object:
    """A stance in any case as it is allowed; anything else as it is."""
    lowered = stance.lower() if isinstance(stance, str) else stance
    return lowered if lowered in ("pro", "con") else stance


def described(name: str, doc: str, default: Any = ..., **limits: Any) -> Any:
    """A parameter with its sentence and, from ALLOWED, what it may be."""
    allowed = ALLOWED[name]
    if isinstance(limits.get("ge"), int):
        allowed = f"a whole number from {limits['ge']} to {limits['le']}"
    return Field(default, description=f"{doc} Allowed: {allowed}.", **limits)


OneQuestion = Annotated[str, Field(max_length=LONGEST_QUERY, pattern=WORDY)]


def _weight(name: str, of: str, least: float = -1e3) -> Any:
    return described(name, f"Weight of {of}, instead of the config's.", None, ge=least, le=1e3)


class Question(BaseModel):
    """What is asked."""

    q: OneQuestion = described("q", "The question or its words.")


_SAME = ("k", "stance", "where", "sort", "config", "side", "sides", "collapse")
ASKED = {name: name for name in _SAME} | {"facet": "facets"}
"""The parameters that `Engine.search` takes as they are, and what it calls them."""


class PageQuery(BaseModel):
    """What every unit takes beside what is asked; a misspelt parameter is refused."""

    model_config = ConfigDict(extra="forbid")

    k: int = described("k", "Hits on a page.", 10, ge=1, le=MOST_HITS)
    page: int = described("page", "Which page.", 1, ge=1, le=DEEPEST)
    stance: Annotated[Literal["pro", "con"] | None, BeforeValidator(in_lower_case)] = described(
        "stance", "Only what has that stance towards its conclusion, in any case.", None
    )
    where: list[str] = described(
        "where",
        "Only arguments whose column is so; repeated, all have to hold.",
        [],
        max_length=20,
        examples=[["quality >= .6"]],
    )
    sort: str | None = described("sort", "The column to be in the order of, not scores.", None)
    config: Annotated[str, one_of("config", names())] = described(
        "config", "A named configuration.", "default", json_schema_extra={"enum": names()}
    )
    explain: bool = described(
        "explain", f"Whether the first {MOST_EXPLAINED} hits carry their explanations.", False
    )
    format: Literal["json", "csv", "markdown", "bibtex"] = described(
        "format", "The form of the answer.", "json"
    )

    def overrides(self) -> tuple[str, ...]:
        """Return the config values that the request sets, as `section.key=value`."""
        return ()

    def asked(self) -> dict[str, Any]:
        """Return them as `Engine.search` takes them."""
        given = {ASKED[name]: value for name, value in self if name in ASKED}
        return {**given, "offset": (self.page - 1) * self.k, "overrides": self.overrides()}


class UnitQuery(PageQuery, Question):
    """The parameters of a question for things of a unit."""


class SidedQuery(UnitQuery):
    """The parameters of a question to which what is found has a side."""

    side: Literal["for", "against", "unclear", "both"] | None = described(
        "side",
        "Only those of the first 100 that stand so to the question; both: for, then against.",
        None,
    )
    sides: bool = described(
        "sides",
        "Whether each hit carries its side of the question, and the answer a balance.",
        False,
    )


class SearchQuery(SidedQuery):
    """The parameters of a search for arguments."""

    collapse: bool = described(
        "collapse",
        "Whether of near-duplicates only the best stands (an index with the part near_duplicates).",
        False,
    )
    facet: list[str] = described(
        "facet",
        "A column to count all matches by; may be repeated.",
        [],
        max_length=20,
        examples=[["stance"]],
    )
    w_cluster: float | None = _weight("w_cluster", "the topical cluster")
    w_quality: float | None = _weight("w_quality", "the argument quality")
    w_premises: float | None = _weight(
        "w_premises", "the premises' own similarity to the question", least=0.0
    )
    rerank: Annotated[str | None, one_of("rerank", RERANKS)] = described(
        "rerank",
        "Re-ranking, instead of the config's.",
        None,
        json_schema_extra={"enum": [*RERANKS, None]},
    )

    def overrides(self) -> tuple[str, ...]:
        """Return the config values that the request sets, as `section.key=value`."""
        values = {
            "boost.cluster": self.w_cluster,
            "boost.quality": self.w_quality,
            "boost.premises": self.w_premises,
        }
        given = [f"{key}={value}" for key, value in values.items() if value is not None]
        if self.rerank is not None:
            stages = [] if self.rerank == "none" else self.rerank.split("+")
            given += ["rerank.method=none", f"rerank.stages={stages!r}"]
        return tuple(given)


class SuggestQuery(Question):
    """What has been typed; a misspelt parameter is refused."""

    model_config = ConfigDict(extra="forbid")

    q: OneQuestion = described("q", "What has been typed so far.")
    k: int = described("k", "Suggestions, at most.", 8, ge=1, le=MOST_SUGGESTED)


class CounterQuery(PageQuery):
    """The parameters of the counter-arguments of one argument."""

    k: int = described("k", "Counter-arguments, at most.", 10, ge=1, le=MOST_EXPLAINED)


def query_of(unit: type[Unit]) -> type[UnitQuery]:
    """Return the parameters of a unit's route, from what the unit takes."""
    if unit.name == "arguments":
        return SearchQuery
    base = SidedQuery if "side" in unit.takes else UnitQuery
    config = base.model_fields["config"]
    k: Any = described("k", f"How many {unit.name}.", 10, ge=1, le=MOST_EXPLAINED)
    own: Any = (config.rebuild_annotation(), config._copy())
    own[1].default = unit.config
    return create_model(f"{unit.name.capitalize()}Query", __base__=base, k=(int, k), config=own)


QUERIES = {name: query_of(unit) for name, unit in UNITS.items()}
"""The parameters of each unit's route."""


class ArgsMeQuery(BaseModel):
    """The parameters of the args.me API, version 2, that are served here."""

    model_config = ConfigDict(extra="ignore")

    query: OneQuestion = described("query", "The question or its words.")
    page: int = described("page", "Which page.", 1, ge=1, le=DEEPEST)
    pageSize: int = described(  # noqa: N815
        "pageSize", "Arguments on a page.", 10, ge=1, le=MOST_EXPLAINED
    )
    fields: str = Field("", description="Only these attributes, comma-separated, nested by dots.")
    format: Literal["json", "application/json"] = Field(
        "json", description="The form of the answer. Allowed: json."
    )


Id = Annotated[str, Path(description="The id of an argument; it may hold any character.")]


class PremiseModel(BaseModel):
    """One premise and its stance towards the conclusion."""

    text: str
    stance: Literal["PRO", "CON"] | None


class ArgumentModel(BaseModel):
    """One argument in args.me's form."""

    id: str
    conclusion: str | None
    premises: list[PremiseModel]
    context: dict[str, Any]


class SentenceModel(BaseModel):
    """A sentence; `marks` are [begin, end) of query words in Unicode code points."""

    text: str
    marks: list[tuple[int, int]]


class SourceModel(BaseModel):
    """Where an argument comes from."""

    title: str
    url: str | None


class ExplanationModel(BaseModel):
    """A value, what it is, and the values it follows from."""

    symbol: str = Field(
        description="The formula's name for it, such as R, C, Q or S; may be empty."
    )
    value: float
    description: str
    details: list[ExplanationModel]


class SideModel(BaseModel):
    """How an argument stands to the question."""

    value: Literal["for", "against", "unclear"]
    probability: float = Field(description="That it is on the likelier side, 0 to 1; 0: no reason.")
    explanation: ExplanationModel | None = None


class BalanceModel(BaseModel):
    """How the best arguments stand to the question."""

    claim: str = Field(description="What being for means here.")
    directed: bool = Field(description="Whether the question itself says so.")
    read: int = Field(description="How many of the best arguments were read for their side.")
    counts: dict[str, int] = Field(description="Arguments of each side among those.")
    question: str | None = Field(
        None, description="The question that sides were read for, where that is not the typed one."
    )


class FacetModel(BaseModel):
    """A value or range of a column, and how many of all matches have it."""

    value: str | int = Field(description="As `where` takes it after =.")
    from_: float | None = Field(None, alias="from", description="A range's lower end.")
    to: float | None = Field(None, description="Its upper end, left out; null where it has none.")
    count: int


class ListModel(BaseModel):
    """What is said of one side's list."""

    total: int = Field(description="How many there are on that side, beyond this page too.")
    first_weak_rank: int | None = Field(
        description="The rank from which on its hits here are weak."
    )


class ListsModel(BaseModel):
    """The lists of both sides."""

    for_: ListModel = Field(alias="for")
    against: ListModel


class RankedModel(BaseModel):
    """What every hit has; `explanation` is there with explain=true."""

    rank: int
    id: str
    score: float
    stance: Literal["PRO", "CON"] | None = Field(description="Towards its own conclusion.")
    side: SideModel | None = Field(None, description="There with sides or side.")
    explanation: ExplanationModel | None = None


class UnitHitModel(RankedModel):
    """One ranked thing of a unit, such as a pair."""

    texts: list[str] = Field(description="What a reader sees: of a pair conclusion and premise.")
    arguments: list[str] = Field(description="The ids of the arguments behind it.")


class StatedModel(BaseModel):
    """A premise as one argument states it."""

    argument: str = Field(description="The argument's id.")
    text: str


class ClaimModel(BaseModel):
    """A claim that a hit serves."""

    text: str
    share: float = Field(description="P(c|q): its score, of the sum of all claims found.")
    adds: float = Field(description="What the hit's score has from it.")


class PremiseHitModel(UnitHitModel):
    """Premises of one meaning and stance."""

    representative: StatedModel
    size: int = Field(description="Premises of that meaning in the index.")
    found: int = Field(description="Those of them that the claims found have.")
    members: list[StatedModel] = Field(description=f"At most {MEMBERS} of them.")
    claims: list[ClaimModel] = Field(description=f"At most {MEMBERS}, by what they add.")


class CounterHitModel(RankedModel, ArgumentModel):
    """One counter-argument."""

    sentence: SentenceModel = Field(description="One to three sentences that carry its point.")
    source: SourceModel


class HitModel(CounterHitModel):
    """One ranked argument; `factors` are there with explain=true."""

    near_duplicates: list[str] | None = Field(
        None, description="Ids of its near-duplicates, with collapse."
    )
    factors: dict[str, float] | None = None


class RankedAnswerModel(BaseModel):
    """What every answer has."""

    query: str
    unit: str
    total: int = Field(description="How many there are, beyond this page too.")
    milliseconds: float
    fingerprint: str = Field(description="The index's fingerprint.")
    config: str
    notes: list[str]
    sort: str | None = Field(None, description="There with sort.")
    balance: BalanceModel | None = Field(None, description="There with sides or side.")
    lists: ListsModel | None = Field(None, description="There with side=both.")


class UnitAnswerModel(RankedAnswerModel):
    """The answer to a query for things of one unit."""

    hits: list[UnitHitModel]


class PremisesModel(RankedAnswerModel):
    """The answer to a question for premises."""

    claims: int = Field(description="Claims found.")
    family: str
    dimensions: list[str]
    hits: list[PremiseHitModel]


class CounterModel(RankedAnswerModel):
    """The counter-arguments of one argument, or of a text."""

    id: str | None = Field(description="The argument that is countered; null for a text.")
    conclusion: str | None
    looked_at: int = Field(description="How many candidates were scored in full.")
    hits: list[CounterHitModel]


class AnswerModel(RankedAnswerModel):
    """The answer to a query."""

    groups: int | None = Field(None, description="How many of them are shown, with collapse.")
    discriminative: int = Field(
        description="How many of them have a word that tells what is asked for."
    )
    first_weak_rank: int | None = Field(
        description="The rank from which on this page's hits are weak."
    )
    unknown: list[str] = Field(description="The question's words that no argument has.")
    suggestion: str | None = Field(description="The question as it may have been meant.")
    w_cluster: float
    w_quality: float
    w_premises: float
    rerank: str
    facets: dict[str, list[FacetModel]] | None = Field(None, description="There with facet.")
    values: dict[str, int] | None = Field(None, description="How many values each facet has.")
    hits: list[HitModel] = Field(
        description="Best first; with side=both those for, then those against, ranked apart."
    )


class ProblemModel(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str | None = Field(None, description="As in the header X-Request-ID.")
    parameter: str | None = None
    value: Any = None
    allowed: str | None = None


def problem(description: str) -> dict[str, Any]:
    """The OpenAPI description of an error answer."""
    return {
        "description": description,
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemModel"}}
        },
    }


def answers(model: type[BaseModel], lacks: str | None = None) -> dict[int | str, dict[str, Any]]:
    """Return the answers of a route: the model's, and what can go wrong.

    lacks: what of an index the route needs, said where an index lacks it.
    """
    found: dict[int | str, dict[str, Any]] = {200: {"model": model}}
    if lacks is not None:
        found[409] = problem(lacks)
    found[422] = problem("A parameter cannot be used")
    found[503] = problem("The index is not open yet")
    return found
