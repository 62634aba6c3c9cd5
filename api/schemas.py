"""The shapes of HTTP requests and answers: parameters with what they allow, and documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from engine.config import Rerank, names

MOST_HITS = 1000
"""The largest k of one request."""
DEEPEST = 1_000_000
"""The largest page."""
MOST_EXPLAINED = 100
"""The largest k of one request whose hits are explained."""
LONGEST = 2_000
"""Characters of the longest query."""
RERANKS: tuple[str, ...] = Rerank.__dataclass_fields__["method"].metadata["choices"]

ALLOWED = {
    "q": f"a text with at least one word and at most {LONGEST} characters",
    "query": f"a text with at least one word and at most {LONGEST} characters",
    "k": f"a whole number from 1 to {MOST_HITS}, with explain to {MOST_EXPLAINED}",
    "page": f"a whole number from 1 to {DEEPEST}",
    "pageSize": f"a whole number from 1 to {MOST_EXPLAINED}",
    "stance": "pro, con",
    "where": "COLUMN OPERATOR VALUE with a column of the index, such as quality >= .6",
    "config": ", ".join(names()),
    "w_cluster": "a number from -1000.0 to 1000.0",
    "w_quality": "a number from -1000.0 to 1000.0",
    "w_premises": "a number from 0 to 1000.0",
    "rerank": ", ".join(RERANKS),
    "explain": "true, false",
    "format": "json, csv, markdown, bibtex",
}
"""What each parameter may be, in words: for the documentation and for errors alike."""


def _one_of(name: str, values: Sequence[str]) -> AfterValidator:
    def check(value: str | None) -> str | None:
        """The value, if it is allowed or absent; raises ValueError."""
        if value is not None and value not in values:
            raise ValueError(f"{name} is {value!r}; allowed: {', '.join(values)}")
        return value

    return AfterValidator(check)


def _in_lower_case(stance: object) -> object:
    lowered = stance.lower() if isinstance(stance, str) else stance
    return lowered if lowered in ("pro", "con") else stance


def _field(name: str, doc: str, default: Any = ..., **limits: Any) -> Any:
    return Field(default, description=f"{doc} Allowed: {ALLOWED[name]}.", **limits)


class SearchQuery(BaseModel):
    """The parameters of a search; a misspelt one is refused, it does not pass unnoticed."""

    model_config = ConfigDict(extra="forbid")

    q: str = _field("q", "The question or its words.", max_length=LONGEST, pattern=r"\S")
    k: int = _field("k", "Arguments on a page.", 10, ge=1, le=MOST_HITS)
    page: int = _field("page", "Which page.", 1, ge=1, le=DEEPEST)
    stance: Annotated[Literal["pro", "con"] | None, BeforeValidator(_in_lower_case)] = _field(
        "stance", "Only arguments of that stance, in any case.", None
    )
    where: list[str] = _field(
        "where",
        "Only arguments whose column is so; repeated, all have to hold.",
        [],
        max_length=20,
        examples=[["quality >= .6"]],
    )
    config: Annotated[str, _one_of("config", names())] = _field(
        "config", "A named configuration.", "default", json_schema_extra={"enum": names()}
    )
    w_cluster: float | None = _field(
        "w_cluster",
        "Weight of the topical cluster, instead of the config's.",
        None,
        ge=-1e3,
        le=1e3,
    )
    w_quality: float | None = _field(
        "w_quality",
        "Weight of the argument quality, instead of the config's.",
        None,
        ge=-1e3,
        le=1e3,
    )
    w_premises: float | None = _field(
        "w_premises",
        "Weight of the premises' own similarity to the question, instead of the config's.",
        None,
        ge=0,
        le=1e3,
    )
    rerank: Annotated[str | None, _one_of("rerank", RERANKS)] = _field(
        "rerank",
        "Re-ranking, instead of the config's.",
        None,
        json_schema_extra={"enum": list(RERANKS)},
    )
    explain: bool = _field("explain", "Whether each hit carries its explanation.", False)
    format: Literal["json", "csv", "markdown", "bibtex"] = _field(
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


class UnitQuery(BaseModel):
    """The parameters of a unit's route, such as /api/pairs."""

    model_config = ConfigDict(extra="forbid")

    q: str = _field("q", "The question or its words.", max_length=LONGEST, pattern=r"\S")
    k: int = _field("k", "How many.", 10, ge=1, le=MOST_EXPLAINED)
    config: Annotated[str, _one_of("config", names())] = _field(
        "config", "A named configuration.", "pairs-default", json_schema_extra={"enum": names()}
    )
    explain: bool = _field("explain", "Whether each hit carries its explanation.", False)


class ArgsMeQuery(BaseModel):
    """The parameters of the args.me API, version 2, that are served here."""

    model_config = ConfigDict(extra="ignore")

    query: str = _field("query", "The question or its words.", max_length=LONGEST, pattern=r"\S")
    page: int = _field("page", "Which page.", 1, ge=1, le=DEEPEST)
    pageSize: int = _field(  # noqa: N815
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

    symbol: str = Field("", description="The formula's name for it, where it has one.")
    value: float
    description: str
    details: list[ExplanationModel]


class HitModel(ArgumentModel):
    """One ranked argument; `explanation` and `factors` are there with explain=true."""

    rank: int
    score: float
    stance: Literal["PRO", "CON"] | None = Field(description="Common stance of the premises.")
    sentence: SentenceModel
    source: SourceModel
    explanation: ExplanationModel | None = None
    factors: dict[str, float] | None = None


class AnswerModel(BaseModel):
    """The answer to a query."""

    query: str
    total: int = Field(description="How many arguments match, beyond this page too.")
    milliseconds: float
    fingerprint: str = Field(description="The index's fingerprint.")
    config: str
    w_cluster: float
    w_quality: float
    w_premises: float
    rerank: str
    notes: list[str]
    hits: list[HitModel]


class UnitHitModel(BaseModel):
    """One ranked thing of a unit, such as a pair; `explanation` is there with explain=true."""

    rank: int
    id: str
    score: float
    stance: Literal["PRO", "CON"] | None
    texts: list[str] = Field(description="What a reader sees: of a pair conclusion and premise.")
    arguments: list[str] = Field(description="The ids of the arguments behind it.")
    explanation: ExplanationModel | None = None


class UnitAnswerModel(BaseModel):
    """The answer to a query for things of one unit."""

    query: str
    unit: str
    total: int = Field(description="How many there are, beyond these too.")
    milliseconds: float
    fingerprint: str = Field(description="The index's fingerprint.")
    config: str
    notes: list[str]
    hits: list[UnitHitModel]


class ReadyModel(BaseModel):
    """An open index."""

    ready: Literal[True]
    documents: int
    fingerprint: str
    corpus: str
    configs: list[str]


class HealthModel(BaseModel):
    """The process answers."""

    status: Literal["alive"]
    version: str


class ProblemModel(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
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
