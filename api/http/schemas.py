"""The shapes of HTTP requests and answers: parameters with what they allow, and documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from argsearch.engine.config import Rerank, names

MOST_HITS = 1000
"""The largest k of one request."""
DEEPEST = 1_000_000
"""The largest page."""
MOST_EXPLAINED = 100
"""How many hits of one request are explained, the first ones; args.me pages are no longer."""
LONGEST = 2_000
"""Characters of the longest query."""
WORDY = r"[^\s\x1c-\x1f\x85\ufeff]"
"""A character that is no white space, to Python, to ECMA-262 and to pydantic alike."""
RERANKS: tuple[str, ...] = Rerank.__dataclass_fields__["method"].metadata["choices"]

ALLOWED = {
    "q": f"a text with at least one word and at most {LONGEST} characters",
    "query": f"a text with at least one word and at most {LONGEST} characters",
    "k": f"a whole number from 1 to {MOST_HITS}",
    "page": f"a whole number from 1 to {DEEPEST}",
    "pageSize": f"a whole number from 1 to {MOST_EXPLAINED}",
    "stance": "pro, con",
    "side": "for, against, unclear, both",
    "sides": "true, false",
    "fold": "true, false",
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
    return Field(default, description=f"{doc} Allowed: {ALLOWED[name]}.", **limits)


class SearchQuery(BaseModel):
    """The parameters of a search; a misspelt one is refused, it does not pass unnoticed."""

    model_config = ConfigDict(extra="forbid")

    q: str = described("q", "The question or its words.", max_length=LONGEST, pattern=WORDY)
    k: int = described("k", "Arguments on a page.", 10, ge=1, le=MOST_HITS)
    page: int = described("page", "Which page.", 1, ge=1, le=DEEPEST)
    stance: Annotated[Literal["pro", "con"] | None, BeforeValidator(in_lower_case)] = described(
        "stance", "Only arguments of that stance, in any case.", None
    )
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
    fold: bool = described(
        "fold",
        "Whether of near-copies only the best stands (an index with the part copies).",
        False,
    )
    where: list[str] = described(
        "where",
        "Only arguments whose column is so; repeated, all have to hold.",
        [],
        max_length=20,
        examples=[["quality >= .6"]],
    )
    sort: str | None = described("sort", "The column to be in the order of, not scores.", None)
    facet: list[str] = described(
        "facet",
        "A column to count all matches by; may be repeated.",
        [],
        max_length=20,
        examples=[["stance"]],
    )
    config: Annotated[str, one_of("config", names())] = described(
        "config", "A named configuration.", "default", json_schema_extra={"enum": names()}
    )
    w_cluster: float | None = described(
        "w_cluster",
        "Weight of the topical cluster, instead of the config's.",
        None,
        ge=-1e3,
        le=1e3,
    )
    w_quality: float | None = described(
        "w_quality",
        "Weight of the argument quality, instead of the config's.",
        None,
        ge=-1e3,
        le=1e3,
    )
    w_premises: float | None = described(
        "w_premises",
        "Weight of the premises' own similarity to the question, instead of the config's.",
        None,
        ge=0,
        le=1e3,
    )
    rerank: Annotated[str | None, one_of("rerank", RERANKS)] = described(
        "rerank",
        "Re-ranking, instead of the config's.",
        None,
        json_schema_extra={"enum": [*RERANKS, None]},
    )
    explain: bool = described(
        "explain", f"Whether the first {MOST_EXPLAINED} hits carry their explanations.", False
    )
    format: Literal["json", "csv", "markdown", "bibtex"] = described(
        "format", "The form of the answer.", "json"
    )

    def overrides(self) -> tuple[str, ...]:
        """The config values that the request sets, as `section.key=value`."""
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


class PremisesQuery(BaseModel):
    """The parameters of a question for premises; a misspelt one is refused."""

    model_config = ConfigDict(extra="forbid")

    q: str = described("q", "The question or its words.", max_length=LONGEST, pattern=WORDY)
    k: int = described("k", "Premise clusters.", 10, ge=1, le=MOST_EXPLAINED)
    stance: Annotated[Literal["pro", "con"] | None, BeforeValidator(in_lower_case)] = described(
        "stance", "Only premises of that stance towards their claims.", None
    )
    config: Annotated[str, one_of("config", names())] = described(
        "config",
        "A named configuration; its section [premises] is read.",
        "default",
        json_schema_extra={"enum": names()},
    )
    explain: bool = described("explain", "Whether each hit carries its explanation.", False)


class UnitQuery(BaseModel):
    """The parameters of a unit's route, such as /api/pairs."""

    model_config = ConfigDict(extra="forbid")

    q: str = described("q", "The question or its words.", max_length=LONGEST, pattern=WORDY)
    k: int = described("k", "How many.", 10, ge=1, le=MOST_EXPLAINED)
    config: Annotated[str, one_of("config", names())] = described(
        "config", "A named configuration.", "pairs-default", json_schema_extra={"enum": names()}
    )
    explain: bool = described("explain", "Whether each hit carries its explanation.", False)


class ArgsMeQuery(BaseModel):
    """The parameters of the args.me API, version 2, that are served here."""

    model_config = ConfigDict(extra="ignore")

    query: str = described("query", "The question or its words.", max_length=LONGEST, pattern=WORDY)
    page: int = described("page", "Which page.", 1, ge=1, le=DEEPEST)
    pageSize: int = described(  # noqa: N815
        "pageSize", "Arguments on a page.", 10, ge=1, le=MOST_EXPLAINED
    )
    fields: str = Field("", description="Only these attributes, comma-separated, nested by dots.")
    format: Literal["json", "application/json"] = Field(
        "json", description="The form of the answer. Allowed: json."
    )


class CounterQuery(BaseModel):
    """The parameters of counter-arguments; a misspelt one is refused."""

    model_config = ConfigDict(extra="forbid")

    k: int = described("k", "Counter-arguments, at most.", 10, ge=1, le=MOST_EXPLAINED)
    explain: bool = described("explain", "Whether each hit carries its explanation.", False)


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


class HitModel(ArgumentModel):
    """One ranked argument; `explanation` and `factors` are there with explain=true."""

    rank: int
    score: float
    stance: Literal["PRO", "CON"] | None = Field(description="Common stance of the premises.")
    side: SideModel | None = Field(None, description="There with sides or side.")
    copies: list[str] | None = Field(None, description="Ids of its near-copies, with fold.")
    sentence: SentenceModel = Field(description="One to three sentences that carry its point.")
    source: SourceModel
    explanation: ExplanationModel | None = None
    factors: dict[str, float] | None = None


class ListModel(BaseModel):
    """What is said of one side's list."""

    total: int = Field(description="How many arguments are on that side, beyond this page too.")
    weak_from: int | None = Field(description="The rank from which on its hits here are weak.")


class ListsModel(BaseModel):
    """The lists of both sides."""

    for_: ListModel = Field(alias="for")
    against: ListModel


class AnswerModel(BaseModel):
    """The answer to a query."""

    query: str
    total: int = Field(description="How many arguments match, beyond this page too.")
    groups: int | None = Field(None, description="How many of them are shown, with fold.")
    telling: int = Field(description="How many of them have a word that tells what is asked for.")
    weak_from: int | None = Field(description="The rank from which on this page's hits are weak.")
    unknown: list[str] = Field(description="The question's words that no argument has.")
    suggestion: str | None = Field(description="The question as it may have been meant.")
    milliseconds: float
    fingerprint: str = Field(description="The index's fingerprint.")
    config: str
    w_cluster: float
    w_quality: float
    w_premises: float
    rerank: str
    notes: list[str]
    sort: str | None = Field(None, description="There with sort.")
    facets: dict[str, list[FacetModel]] | None = Field(None, description="There with facet.")
    values: dict[str, int] | None = Field(None, description="How many values each facet has.")
    balance: BalanceModel | None = Field(None, description="There with sides or side.")
    lists: ListsModel | None = Field(None, description="There with side=both.")
    hits: list[HitModel] = Field(
        description="Best first; with side=both those for, then those against, ranked apart."
    )


class CounterHitModel(ArgumentModel):
    """One counter-argument; `explanation` is there with explain=true."""

    rank: int
    score: float
    stance: Literal["PRO", "CON"] | None = Field(description="Common stance of the premises.")
    sentence: SentenceModel = Field(description="One to three sentences that carry its point.")
    source: SourceModel
    explanation: ExplanationModel | None = None


class CounterModel(BaseModel):
    """The counter-arguments of one argument."""

    id: str = Field(description="The argument that is countered.")
    conclusion: str | None
    looked_at: int = Field(description="How many candidates were scored in full.")
    milliseconds: float
    fingerprint: str = Field(description="The index's fingerprint.")
    notes: list[str]
    hits: list[CounterHitModel]


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
