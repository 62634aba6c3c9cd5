"""Schemas of HTTP requests and responses, with the limits of the parameters."""

from __future__ import annotations

from collections.abc import Mapping
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
from argsearch.indexer.corpus.argument import Stance

MOST_HITS = 1000
"""Maximum k of a request."""
MOST_EXPLAINED = 100
"""Maximum number of explained hits per request, and of hits on a page of args.me's API."""
LONGEST_QUERY = 2_000
"""Maximum length of a query, in characters."""
MOST_LISTED = 20
"""Maximum number of values of a repeatable parameter."""

Q = p.QUERY.but(name="q", high=LONGEST_QUERY)
"""The question."""
Q_OR_NONE = Parameter("q", str, "The question, or keywords, if any.", "", high=LONGEST_QUERY)
PAGE = Parameter("page", int, "The page number.", 1, low=1, high=1_000_000)
CONFIG_NAME = p.CONFIG.but(doc="A named configuration.", choices=tuple(names()))
USUAL_CONFIG_NAME = CONFIG_NAME.but(
    default=None,
    doc="A named configuration. If omitted: meaning if the index has that part, else default.",
)
PAGE_PARAMETERS = (
    p.K.but(doc="Maximum number of hits on a page.", high=MOST_HITS),
    PAGE,
    p.STANCE,
    p.WHERE.but(several=MOST_LISTED),
    p.SORT,
    CONFIG_NAME,
    p.EXPLAIN.but(doc=f"Add explanations to the first {MOST_EXPLAINED} hits."),
    p.FORMAT,
    p.ONLY.but(several=MOST_EXPLAINED),
)
"""Parameters that routes of units take in addition to the question."""
SIDE_PARAMETERS = (p.SIDE, p.SIDES)
WEIGHTS = {"w_cluster": "cluster", "w_quality": "quality", "w_premises": "premises"}
"""Keys of [boost] that a request may set, by the name of the parameter."""


def _weight(name: str) -> Parameter:
    """Return a parameter that overrides a key of [boost] and has the key's range."""
    key = Boost.__dataclass_fields__[WEIGHTS[name]].metadata
    doc = f"The {key['doc']}; overrides the configuration."
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
        "Re-ranking method; overrides the configuration.",
        choices=tuple(
            name
            for name in Rerank.__dataclass_fields__["method"].metadata["choices"]
            if name != External.name  # its model is named by a configuration, never from outside
        ),
    ),
)
"""Further parameters of a search for arguments."""
KEYWORDS = {name: name for name in ("k", "stance", "where", "sort", "config", "side", "sides")}
KEYWORDS |= {name: name for name in ("collapse", "spread", "discriminative")} | {"facet": "facets"}
"""The `Engine.search` names of the parameters that are passed on to it."""


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
        """Return the configuration values that the request sets, as `section.key=value`."""
        values = {key: getattr(self, name, None) for name, key in WEIGHTS.items()}
        given = [f"boost.{key}={value}" for key, value in values.items() if value is not None]
        rerank = getattr(self, "rerank", None)
        if rerank is not None:
            stages = [] if rerank == "none" else rerank.split("+")
            # A configuration may name its stages by either key, so both are set.
            given += ["rerank.method=none", f"rerank.stages={stages!r}"]
        return tuple(given)

    def asked(self) -> dict[str, Any]:
        """Return the arguments for `Engine.search`."""
        given = {KEYWORDS[name]: value for name, value in self if name in KEYWORDS}
        return {**given, "offset": (self.page - 1) * self.k, "overrides": self.overrides()}


def query_of(unit: type[Unit]) -> type[PageQuery]:
    """Return the parameters of a unit's route, based on what the unit supports."""
    taken = (Q, *PAGE_PARAMETERS, *(SIDE_PARAMETERS if "side" in unit.takes else ()))
    # Only a search for arguments can find by meaning, collapse, spread and count by columns.
    if unit.name == "arguments":
        own = (USUAL_CONFIG_NAME, *OF_ARGUMENTS)
    else:
        k = p.K.but(doc=f"Maximum number of {unit.name}.", high=MOST_EXPLAINED)
        narrower = (p.DISCRIMINATIVE,) if "discriminative" in unit.takes else ()
        own = (k, CONFIG_NAME.but(default=unit.config), *narrower)
    doc = f"The parameters of a question for {unit.name}."
    name = "SearchQuery" if unit.name == "arguments" else f"{unit.name.capitalize()}Query"
    made: type[PageQuery] = model(name, doc, *p.by_name(*taken, *own).values(), base=PageQuery)
    return made


QUERIES = {name: query_of(unit) for name, unit in UNITS.items()}
"""The parameters of each unit's route."""
SearchQuery = QUERIES["arguments"]
SuggestQuery = model(
    "SuggestQuery",
    "The input so far.",
    Q.but(doc="The input so far."),
    p.K.but(doc="Maximum number of suggestions.", default=8, high=20),
)
CounterQuery = model(
    "CounterQuery",
    "Parameters for the counter-arguments to one argument.",
    p.K.but(doc="Maximum number of counter-arguments.", high=MOST_EXPLAINED),
    *PAGE_PARAMETERS[1:],
    base=PageQuery,
)
PointsQuery = model(
    "PointsQuery",
    "Parameters of a key-points request.",
    Q,
    p.STANCE,
    p.WHERE.but(several=MOST_LISTED),
    USUAL_CONFIG_NAME,
    p.COLLAPSE.but(default=None, doc="As in a search; on by default if the index has that part."),
    p.FINGERPRINT,
    p.CONFIG_SHA256,
    p.EXPLAIN.but(doc="Add the reasons why quotes belong together."),
    p.FORMAT.but(choices=POINTS_FORMS),
)
MapQuery = model(
    "MapQuery",
    "The question to find on the map, if any.",
    Q_OR_NONE.but(doc="A question whose similarity to each cluster is returned."),
)
ArgsMeQuery = model(
    "ArgsMeQuery",
    "The supported parameters of the args.me API, version 2.",
    Q.but(name="query"),
    PAGE,
    p.K.but(name="pageSize", doc="Arguments on a page.", high=MOST_EXPLAINED),
    Parameter("fields", str, "Attributes to return, comma-separated; dots for nested ones.", ""),
    p.FORMAT.but(choices=("json", "application/json")),
    base=LenientModel,
)


Id = Annotated[str, Path(description="The id of an argument; it may contain any character.")]


class PremiseModel(BaseModel):
    """A premise and its stance towards the conclusion."""

    text: str
    stance: Stance | None


class ArgumentModel(BaseModel):
    """An argument in args.me's format."""

    id: str
    conclusion: str | None
    premises: list[PremiseModel]
    context: dict[str, Any]


class SentenceModel(BaseModel):
    """A sentence; `marks` are [begin, end) of query words in Unicode code points."""

    text: str
    marks: list[tuple[int, int]]
    beginning: bool = Field(
        description="True if it is just the text's beginning, as no sentence states its point."
    )


class SourceModel(BaseModel):
    """The source of an argument."""

    title: str = Field(description="Author, title, portal and date in one line, or the id.")
    url: str | None
    name: str | None = Field(description="Title of the source or debate.")
    author: str | None
    portal: str | None
    date: str | None = Field(description="YYYY-MM-DD or YYYY.")


class ExplanationModel(BaseModel):
    """A value with its description, and the values that it is computed from."""

    symbol: str = Field(description="Symbol in the formula, such as R, C, Q or S; may be empty.")
    value: float
    description: str
    details: list[ExplanationModel]


class NamedModel(BaseModel):
    """An argument and its source."""

    id: str
    conclusion: str | None
    source: SourceModel


class QuoteModel(NamedModel):
    """A quote from an argument, and the reason for it."""

    text: str = Field(description="Verbatim; … marks omitted sentences.")
    begin: int = Field(description="Code-point offset in the premises when joined by line breaks.")
    end: int
    side: Literal["for", "against", "all"] = Field(description="Side of the argument.")
    probability: float = Field(description="Certainty of the reason, 0 to 1.")
    reason: str = Field(description="The reason for the quote, in a few words.")
    explanation: ExplanationModel | None = None


class SectionModel(BaseModel):
    """A heading with quotes, at most one per argument, best first."""

    heading: str
    side: Literal["for", "against", "all"] = Field(description="Side that all its quotes take.")
    arguments: int = Field(description="Lower bound on all arguments that make this point.")
    debates: int = Field(description="Number of debates or sources that its quotes come from.")
    years: tuple[str, str] | None = Field(
        description="First and last year of its quotes; null if none is known."
    )
    quotes: list[QuoteModel]


class SideModel(BaseModel):
    """The side of the question that an argument takes."""

    value: p.SideName
    probability: float = Field(description="Probability of the likelier side; 0 if unknown.")
    on_question: float = Field(description="Probability of being about the question, 0 to 1.")
    explanation: ExplanationModel | None = None


class StandingModel(BaseModel):
    """A counter-argument's stance towards the author of the attacked argument."""

    value: Literal["against", "supports", "unclear"]
    probability: float = Field(description="Probability of the likelier side, 0 to 1.")
    explanation: ExplanationModel | None = None


class BalanceModel(BaseModel):
    """The number of top arguments on each side of the question."""

    claim: str = Field(description="The claim that `for` supports.")
    directed: bool = Field(description="True if the question itself is that claim.")
    sided: bool = Field(description='False for a question without sides, such as "How can we …?".')
    read: int = Field(description="Number of top arguments whose side was predicted.")
    counts: dict[str, int] = Field(description="Number of these arguments on each side.")
    off_question: int = Field(
        description="Number of unclear arguments that are probably not about the question."
    )
    question: str | None = Field(
        None, description="The claim that sides refer to, if not the question as typed."
    )


class FacetModel(BaseModel):
    """A value or range of a column, with its number of matches."""

    value: str | int = Field(
        description="Formatted as `where` expects after =; labels with commas are quoted."
    )
    from_: float | None = Field(None, alias="from", description="Lower end of a range.")
    to: float | None = Field(None, description="Upper end (exclusive); null if there is none.")
    count: int


class ListModel(BaseModel):
    """The size and quality of one side's list."""

    total: int = Field(description="Number of arguments on this side, across all pages.")
    first_weak_rank: int | None = Field(
        description="Always null, because the arguments on a side are about the question."
    )


class ListsModel(BaseModel):
    """The lists of both sides."""

    for_: ListModel = Field(alias="for")
    against: ListModel


class RankedModel(BaseModel):
    """Fields of every hit; `explanation` needs explain=true."""

    rank: int
    id: str
    score: float
    stance: Stance | None = Field(description="Stance on its own conclusion.")
    side: SideModel | None = Field(None, description="Present if `sides` or `side` is given.")
    explanation: ExplanationModel | None = None


class UnitHitModel(RankedModel):
    """A ranked result of a unit, such as a pair."""

    texts: list[str] = Field(description="Texts to show, such as a pair's conclusion and premise.")
    arguments: list[str] = Field(description="Ids of the arguments that it comes from.")


class StatedModel(BaseModel):
    """A premise as stated in one argument."""

    argument: str = Field(description="Id of the argument.")
    text: str


class ClaimModel(BaseModel):
    """A claim that a hit supports or attacks."""

    text: str
    share: float = Field(description="P(c|q): its share of the total score of all claims found.")
    adds: float = Field(description="Contribution to the hit's score.")


class PremiseHitModel(UnitHitModel):
    """Premises with the same meaning and stance."""

    representative: StatedModel
    sentence: SentenceModel = Field(description="One to three sentences that state its point.")
    size: int = Field(description="Number of premises with this meaning in the index.")
    found: int = Field(description="Number of these premises that belong to the claims found.")
    members: list[StatedModel] = Field(description=f"At most {MEMBERS} of these premises.")
    claims: list[ClaimModel] = Field(description=f"At most {MEMBERS}, by contribution.")


class WholeHitModel(RankedModel, ArgumentModel):
    """A ranked argument of the corpus."""

    sentence: SentenceModel = Field(description="One to three sentences that make its point.")
    source: SourceModel


class CounterHitModel(WholeHitModel):
    """A counter-argument."""

    side: StandingModel = Field(description="Side towards the author.")  # type: ignore[assignment]


class HitModel(WholeHitModel):
    """A ranked argument; `factors` need explain=true."""

    near_duplicates: list[str] | None = Field(
        None, description="Ids of its near-duplicates; present only with `collapse`."
    )
    factors: dict[str, float] | None = None


class RankedAnswerModel(BaseModel):
    """Fields of every answer."""

    query: str
    unit: str
    total: int = Field(description="Number of results, over all pages.")
    milliseconds: float
    fingerprint: str = Field(description="The index's fingerprint.")
    config: str
    notes: list[str]
    sort: str | None = Field(None, description="Present with sort.")
    balance: BalanceModel | None = Field(None, description="Present if `sides` or `side` is given.")
    lists: ListsModel | None = Field(None, description="Present with side=both.")
    little: bool | None = Field(
        None,
        description="True if both sides have fewer than 3 hits in all; present with side=both.",
    )


class UnitAnswerModel(RankedAnswerModel):
    """The answer to a query for results of one unit."""

    hits: list[UnitHitModel]


class PremisesModel(RankedAnswerModel):
    """The answer to a question for premises."""

    claims: int = Field(description="Number of claims found.")
    family: str
    dimensions: list[str]
    hits: list[PremiseHitModel]


class CounterModel(RankedAnswerModel):
    """The counter-arguments to an argument or a text."""

    id: str | None = Field(description="Id of the attacked argument; null if a text was given.")
    conclusion: str | None
    looked_at: int = Field(description="Number of candidates scored in full.")
    hits: list[CounterHitModel]


class AnswerModel(RankedAnswerModel):
    """The answer to a query."""

    groups: int | None = Field(None, description="Hits left when near-duplicates are collapsed.")
    by_meaning: int | None = Field(
        None, description="Number of hits found only by meaning; present in a search by meaning."
    )
    common: int | None = Field(
        None,
        description="Number of other matches (common words only); present with `discriminative`.",
    )
    discriminative: int = Field(description="Number of hits with a specific word of the question.")
    first_weak_rank: int | None = Field(
        description="Rank from which on all hits on this page are weak; null if the last is not."
    )
    unknown: list[str] = Field(description="Words of the question that no argument contains.")
    suggestion: str | None = Field(description="The question with its spelling corrected.")
    w_cluster: float
    w_quality: float
    w_premises: float
    rerank: str
    facets: dict[str, list[FacetModel]] | None = Field(None, description="Present with facet.")
    values: dict[str, int] | None = Field(None, description="Number of values of each facet.")
    hits: list[HitModel] = Field(
        description="Best first; with side=both, hits for, then hits against, ranked separately."
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
    missing: list[str] | None = Field(None, description="Requested ids that match no argument.")


def problem(description: str, again: str = "") -> dict[str, Any]:
    """Return the OpenAPI description of an error. again: the meaning of its Retry-After header."""
    headers = {"Retry-After": {"description": again, "schema": {"type": "integer"}}}
    return {
        "description": description,
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemModel"}}
        },
    } | ({"headers": headers} if again else {})


UNAVAILABLE = problem(
    "The title gives the reason: `Not ready` (the index is not open yet), `Busy` (too many "
    "large requests), `No search server` (it does not answer) or `Damaged index`",
    "Seconds to wait before a retry; absent for a damaged index.",
)
"""Description of responses with status 503."""


Answers = dict[int | str, dict[str, Any]]
"""Possible responses of a route, keyed by status code, in FastAPI's format."""


def answers(
    model: type[BaseModel] | None, lacks: str | None = None, texts: Mapping[str, Any] | None = None
) -> Answers:
    """Return a route's possible responses: data that fits the model, texts, and errors.

    `lacks` describes the error if the index lacks a part that the route needs. `texts` has the
    media type and writer of each text format.
    """
    found: Answers = {200: {"model": model}}
    if media := sorted({one.partition(";")[0] for one, _ in (texts or {}).values()}):
        content = {one: {"schema": {"type": "string"}} for one in media}
        found[200] |= {"description": "The answer in the requested format", "content": content}
    if lacks is not None:
        found[409] = problem(lacks)
    found[422] = problem("A parameter, or the body, is invalid")
    found[503] = UNAVAILABLE
    return found
