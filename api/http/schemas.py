"""The shapes of HTTP requests and answers: parameters with what they allow, and documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, Field

from argsearch.api.described import LenientModel, ReadModel, model
from argsearch.api.quotes import POINTS_FORMS
from argsearch.api.serialise import MEMBERS
from argsearch.engine import parameters as p
from argsearch.engine.config import Boost, Rerank, names
from argsearch.engine.parameters import Parameter
from argsearch.engine.stages.external import External
from argsearch.engine.units import UNITS, Unit

MOST_HITS = 1000
"""The largest k of one request."""
MOST_EXPLAINED = 100
"""How many hits of one request are explained, the first ones; args.me pages are no longer."""
LONGEST_QUERY = 2_000
"""Characters of the longest query."""
MOST_LISTED = 20
"""The most values of a parameter that may be repeated."""

Q = p.QUERY.but(name="q", high=LONGEST_QUERY)
"""What is asked."""
Q_OR_NONE = Parameter("q", str, "The question or its words, if any.", "", high=LONGEST_QUERY)
PAGE = Parameter("page", int, "Which page.", 1, low=1, high=1_000_000)
CONFIG_NAME = p.CONFIG.but(doc="A named configuration.", choices=tuple(names()))
USUAL_CONFIG_NAME = CONFIG_NAME.but(
    default=None,
    doc="A named configuration; else meaning where the index has that part, or default.",
)
PAGE_PARAMETERS = (
    p.K.but(doc="Hits on a page.", high=MOST_HITS),
    PAGE,
    p.STANCE,
    p.WHERE.but(several=MOST_LISTED),
    p.SORT,
    CONFIG_NAME,
    p.EXPLAIN.but(doc=f"Whether the first {MOST_EXPLAINED} hits carry their explanations."),
    p.FORMAT,
    p.ONLY.but(several=MOST_EXPLAINED),
)
"""What every unit takes beside what is asked, or a part of it."""
SIDE_PARAMETERS = (
    p.SIDE,
    p.SIDES,
)
WEIGHTS = {"w_cluster": "cluster", "w_quality": "quality", "w_premises": "premises"}
"""The keys of [boost] that a search may set, by the parameter."""


def _weight(name: str) -> Parameter:
    """Return the parameter that is set instead of a key of [boost], with the key's range."""
    key = Boost.__dataclass_fields__[WEIGHTS[name]].metadata
    doc = f"The {key['doc']}, instead of the configuration's."
    return Parameter(name, float, doc, low=key["low"], high=key["high"])


OF_ARGUMENTS = (
    p.COLLAPSE,
    p.SPREAD,
    p.DISCRIMINATIVE,
    p.FACET.but(several=MOST_LISTED),
    *map(_weight, WEIGHTS),
    Parameter(
        "rerank",
        str,
        "Re-ranking, instead of the configuration's.",
        choices=tuple(
            name
            for name in Rerank.__dataclass_fields__["method"].metadata["choices"]
            if name != External.name  # its model is named by a configuration, never from outside
        ),
    ),
)
"""What a search for arguments takes beside."""
KEYWORDS = {name: name for name in ("k", "stance", "where", "sort", "config", "side", "sides")}
KEYWORDS |= {name: name for name in ("collapse", "spread", "discriminative")} | {"facet": "facets"}
"""The parameters that `Engine.search` takes as they are, and what it calls them."""


class PageQuery(ReadModel):
    """The parameters of a unit."""

    if TYPE_CHECKING:
        q: str
        k: int
        page: int
        side: str | None
        sides: bool
        sort: str | None
        facet: list[str]
        config: str
        explain: bool
        format: str
        only: list[str]

    def overrides(self) -> tuple[str, ...]:
        """Return the config values that the request sets, as `section.key=value`."""
        values = {key: getattr(self, name, None) for name, key in WEIGHTS.items()}
        given = [f"boost.{key}={value}" for key, value in values.items() if value is not None]
        rerank = getattr(self, "rerank", None)
        if rerank is not None:
            stages = [] if rerank == "none" else rerank.split("+")
            # A configuration may name its stages by either key, so both are set.
            given += ["rerank.method=none", f"rerank.stages={stages!r}"]
        return tuple(given)

    def asked(self) -> dict[str, Any]:
        """Return them as `Engine.search` takes them."""
        given = {KEYWORDS[name]: value for name, value in self if name in KEYWORDS}
        return {**given, "offset": (self.page - 1) * self.k, "overrides": self.overrides()}


def query_of(unit: type[Unit]) -> type[PageQuery]:
    """Return the parameters of a unit's route, from what the unit takes."""
    taken = (Q, *PAGE_PARAMETERS, *(SIDE_PARAMETERS if "side" in unit.takes else ()))
    # Arguments alone are found by meaning, collapsed, spread and counted by columns.
    if unit.name == "arguments":
        own = (USUAL_CONFIG_NAME, *OF_ARGUMENTS)
    else:
        k = p.K.but(doc=f"How many {unit.name}.", high=MOST_EXPLAINED)
        own = (k, CONFIG_NAME.but(default=unit.config))
    doc = f"The parameters of a question for {unit.name}."
    name = "SearchQuery" if unit.name == "arguments" else f"{unit.name.capitalize()}Query"
    made: type[PageQuery] = model(name, doc, *p.by_name(*taken, *own).values(), base=PageQuery)
    return made


QUERIES = {name: query_of(unit) for name, unit in UNITS.items()}
"""The parameters of each unit's route."""
SearchQuery = QUERIES["arguments"]
SuggestQuery = model(
    "SuggestQuery",
    "What has been typed.",
    Q.but(doc="What has been typed so far."),
    p.K.but(doc="Suggestions, at most.", default=8, high=20),
)
CounterQuery = model(
    "CounterQuery",
    "The parameters of the counter-arguments of one argument.",
    p.K.but(doc="Counter-arguments, at most.", high=MOST_EXPLAINED),
    *PAGE_PARAMETERS[1:],
    base=PageQuery,
)
PointsQuery = model(
    "PointsQuery",
    "The parameters of key points.",
    Q,
    p.STANCE,
    p.WHERE.but(several=MOST_LISTED),
    USUAL_CONFIG_NAME,
    p.COLLAPSE.but(default=None, doc="As in a search; on where the index has that part."),
    p.FINGERPRINT,
    p.CONFIG_SHA256,
    p.EXPLAIN.but(doc="Whether quotes carry why they belong together."),
    p.FORMAT.but(choices=POINTS_FORMS),
    base=PageQuery,
)
MapQuery = model(
    "MapQuery",
    "The question that is looked up on the map, if any.",
    Q_OR_NONE.but(doc="A question, to be told how near clusters are."),
)
ArgsMeQuery = model(
    "ArgsMeQuery",
    "The parameters of the args.me API, version 2, that are served here.",
    Q.but(name="query"),
    PAGE,
    p.K.but(name="pageSize", doc="Arguments on a page.", high=MOST_EXPLAINED),
    Parameter("fields", str, "Only these attributes, comma-separated, nested by dots.", ""),
    p.FORMAT.but(choices=("json", "application/json")),
    base=LenientModel,
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
    beginning: bool = Field(
        description="Whether it is how the text begins, no sentence of which states its point."
    )


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


class NamedModel(BaseModel):
    """An argument and where it comes from."""

    id: str
    conclusion: str | None
    source: SourceModel


class QuoteModel(NamedModel):
    """Words of an argument, and why they are quoted."""

    text: str = Field(description="Word for word; … where sentences between are left out.")
    begin: int = Field(description="Where in the premises, joined by line breaks, in code points.")
    end: int
    side: Literal["for", "against", "all"] = Field(description="Of its argument.")
    probability: float = Field(description="How sure the reason is, 0 to 1.")
    reason: str = Field(description="Why it is quoted, in a few words.")
    explanation: ExplanationModel | None = None


class SectionModel(BaseModel):
    """A heading and the quotes below it, one an argument, the best first."""

    heading: str
    side: Literal["for", "against", "all"] = Field(description="Of all its quotes.")
    arguments: int = Field(description="How many arguments say so, at least; quoted or not.")
    quotes: list[QuoteModel]


class SideModel(BaseModel):
    """How an argument stands to the question."""

    value: Literal["for", "against", "unclear"]
    probability: float = Field(description="That it is on the likelier side, 0 to 1; 0: no reason.")
    on_question: float = Field(description="That it is about the question at all, 0 to 1.")
    explanation: ExplanationModel | None = None


class StandingModel(BaseModel):
    """How a counter-argument stands to the author of what is countered."""

    value: Literal["against", "supports", "unclear"]
    probability: float = Field(description="That it is on the likelier side, 0 to 1.")
    explanation: ExplanationModel | None = None


class BalanceModel(BaseModel):
    """How the best arguments stand to the question."""

    claim: str = Field(description="What being for means here.")
    directed: bool = Field(description="Whether the question itself says so.")
    sided: bool = Field(description='Whether it has sides; "How can we …?" has none.')
    read: int = Field(description="How many of the best arguments were read for their side.")
    counts: dict[str, int] = Field(description="Arguments of each side among those.")
    off_question: int = Field(
        description="How many unclear ones are likelier not about the question than about it."
    )
    question: str | None = Field(
        None, description="What sides were read for, where that is not the question as typed."
    )
    concluded: bool = Field(False, description="Whether that is a conclusion near the question.")


class FacetModel(BaseModel):
    """A value or range of a column, and how many of all matches have it."""

    value: str | int = Field(
        description="As `where` takes it after =; a label with commas in double quotes."
    )
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
    sentence: SentenceModel = Field(description="One to three sentences that carry its point.")
    size: int = Field(description="Premises of that meaning in the index.")
    found: int = Field(description="Those of them that the claims found have.")
    members: list[StatedModel] = Field(description=f"At most {MEMBERS} of them.")
    claims: list[ClaimModel] = Field(description=f"At most {MEMBERS}, by what they add.")


class WholeHitModel(RankedModel, ArgumentModel):
    """One argument of the corpus, ranked."""

    sentence: SentenceModel = Field(description="One to three sentences that carry its point.")
    source: SourceModel


class CounterHitModel(WholeHitModel):
    """One counter-argument."""

    side: StandingModel = Field(description="How it stands to the author.")  # type: ignore[assignment]


class HitModel(WholeHitModel):
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
    little: bool | None = Field(
        None, description="Whether both sides together have fewer than 3; there with side=both."
    )


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
    by_meaning: int | None = Field(
        None, description="How many of them no word finds; there where search is by meaning too."
    )
    common: int | None = Field(
        None,
        description="How many more share only common words with the question, with discriminative.",
    )
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


def problem(description: str, again: str = "") -> dict[str, Any]:
    """The OpenAPI description of an error answer; again: what its Retry-After says."""
    headers = {"Retry-After": {"description": again, "schema": {"type": "integer"}}}
    return {
        "description": description,
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemModel"}}
        },
    } | ({"headers": headers} if again else {})


UNAVAILABLE = problem(
    "The title says why: `Not ready` (the index is not open yet), `Busy` (too many large answers "
    "are asked for at once), `No search server` (it does not answer) or `Damaged index`",
    "Seconds after which to ask again; not with a damaged index.",
)
"""The status 503."""


Answers = dict[int | str, dict[str, Any]]
"""What a route can answer, as FastAPI takes it: by status."""


def answers(model: type[BaseModel], lacks: str | None = None, texts: Iterable[str] = ()) -> Answers:
    """Return the answers of a route: the model's, and what can go wrong.

    lacks: what of an index the route needs, said where an index lacks it; texts: media types in
    which the answer can be had as text.
    """
    found: Answers = {200: {"model": model}}
    if media := sorted({one.partition(";")[0] for one in texts}):
        content = {one: {"schema": {"type": "string"}} for one in media}
        found[200] |= {"description": "The answer, in the form asked for", "content": content}
    if lacks is not None:
        found[409] = problem(lacks)
    found[422] = problem("A parameter cannot be used")
    found[503] = UNAVAILABLE
    return found
