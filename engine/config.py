"""Configurations: frozen dataclasses read from configs/*.toml, with overrides."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from hashlib import sha256
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import TYPE_CHECKING, Any

from argsearch.engine.parameters import CONFIG, SETTINGS
from argsearch.engine.stages import STAGES, Fusion, PremiseFactor, Stage
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.settings import IndexSettings, parse_toml, read_section, setting
from argsearch.ranking import plugins
from argsearch.ranking.pairs import FORMULAS
from argsearch.ranking.premises.claim_premise import FAMILIES
from argsearch.ranking.reranking.mixture import MIXTURE_READINGS, MU_CONCLUSIONS, MU_PREMISES
from argsearch.ranking.similarities.registry import SIMILARITIES, keys, keys_of, weighs_fields
from argsearch.ranking.similarities.statistics import Similarity

RERANKS = ("none", "mmr", "structural", "word_movers")
SCOPES = ("corpus", "argument")
DIMENSIONS = ("cogency", "reasonableness", "effectiveness")
CONFIGS = Path(__file__).resolve().parent.parent / "configs"


@dataclass(frozen=True, slots=True)
class _Model:
    """Settings in the [retrieval] section that all models share."""

    model: str = setting(
        "dirichlet",
        "relevance model; `constant` fixes R at 1: every argument is eligible (H21 runs 4, 5)",
        choices=plugins.Names(SIMILARITIES, "constant"),
    )
    fields: str = setting(
        "text",
        "text to search: premises and conclusion, or one of them (BM25F weighs both)",
        choices=("text", "conclusion", "premise"),
    )


if TYPE_CHECKING:
    _Models = _Model
else:
    # The models' keys come in between, since files and digests keep the order of the fields.
    _Models = make_dataclass(
        "_Models",
        [(key, one.type, setting(one.default, **one.metadata)) for key, one in keys().items()],
        bases=(_Model,),
        frozen=True,
        slots=True,
    )


@dataclass(frozen=True, slots=True)
class Retrieval(_Models):
    """Section [retrieval]: the relevance R of Eq. 1, with a field for each model parameter."""

    lengths: str = setting(
        "lucene",
        "document lengths in Lucene's one-byte encoding, or exact",
        choices=("lucene", "exact"),
    )
    stem_conflation: float = setting(
        0.0,
        "weight of R over stems (all words with one English stem are one term); 0 turns it off",
        low=0.0,
        high=1.0,
    )
    spelling_conflation: bool = setting(
        False,
        "treat spellings of a word that differ in apostrophes or composed accents as one term; "
        "false: as different words, like Lucene",
    )

    def __post_init__(self) -> None:
        if self.stem_conflation and (self.model == "constant" or weighs_fields(self.model)):
            allowed = f"0 with the model {self.model}; the other models support it"
            raise InvalidParameter("retrieval.stem_conflation", self.stem_conflation, allowed)

    @property
    def unifies_spellings(self) -> bool:
        """True if all spellings of a word are one term; never with BM25F or word-form classes."""
        able = not self.stem_conflation and not weighs_fields(self.model)
        return self.spelling_conflation and able

    def parameters(self) -> dict[str, Any]:
        """Return the keys that this model uses, with their values."""
        if self.model not in SIMILARITIES:
            return {}
        own = keys_of(self.model)
        read = (*own, "lengths") if weighs_fields(self.model) else ("fields", *own, "lengths")
        read += ("stem_conflation",) if self.stem_conflation else ()
        read += ("spelling_conflation",) if self.unifies_spellings else ()
        return {key: getattr(self, key) for key in read}

    if TYPE_CHECKING:

        def __getattr__(self, key: str) -> Any:
            """Return a parameter of the model, such as mu or k1."""


@dataclass(frozen=True, slots=True)
class Boost:
    """Section [boost]: the weights of Eq. 1."""

    cluster: float = setting(0.0, "weight ω_C of the topical cluster", low=-1000.0, high=1000.0)
    quality: float = setting(0.0, "weight ω_Q of the argument quality", low=-1000.0, high=1000.0)
    cosine: str = setting(
        "clipped",
        "reading of C: clipped = max(0, cos) in [0, 1], shifted = 1 + cos in [0, 2]",
        choices=("clipped", "shifted"),
    )
    premises: float = setting(
        0.0, "weight ω_P of the premises' own similarity to the question", low=0.0, high=1000.0
    )
    premises_depth: int = setting(
        100, "number of top hits that get this factor; the others follow", low=1, high=10_000
    )
    columns: tuple[tuple[str, float], ...] = setting(
        (), "weight ω of a numeric column: factor 1 + ω·x, where x runs from 0 to 1 over its range",
        low=0.0, high=1000.0,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Meaning:
    """Section [meaning]: search by meaning, in addition to search by words (docs/meaning.md)."""

    weight: float = setting(
        0.0,
        "weight ω_M of the rank by meaning; the rank by words has weight 1",
        low=0.0,
        high=1000.0,
    )
    paraphrase_weight: float = setting(
        0.0,
        "ω_M for questions phrased differently from the texts: those with a reach of 0.8 or less "
        "(docs/meaning.md); from a reach of 0.87 on, weight applies",
        low=0.0,
        high=1000.0,
    )
    quality: float = setting(
        0.0,
        "weight ω_N of the quality in the rank by meaning; used only with the part meaning",
        low=0.0,
        high=1000.0,
    )
    depth: int = setting(
        100,
        "number of arguments found by meaning to fuse with as many found by words; at least "
        "boost.premises_depth",
        low=1,
        high=10_000,
    )


@dataclass(frozen=True, slots=True)
class Rerank:
    """Section [rerank]: the stages that re-rank the top hits. Each stage has its own section."""

    stages: tuple[str, ...] = setting(
        (),
        "the stages, in order; hits below their depth follow unchanged",
        choices=plugins.Names(STAGES),
    )
    method: str = setting(
        "none",
        "a single stage by name: the short form of stages",
        choices=plugins.Names(STAGES, "none"),
    )
    depth: int = setting(100, "number of top hits that are re-ranked", low=1, high=10_000)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the configured stages, from whichever key lists them."""
        return self.stages or (() if self.method == "none" else (self.method,))


@dataclass(frozen=True, slots=True)
class Pairing:
    """Section [pairs]. The defaults are the baseline of W22."""

    conclusions: int = setting(100, "conclusions found for the question", low=1, high=1000)
    premises: int = setting(50, "premises found for each conclusion", low=1, high=50)
    conclusion_factor: float = setting(
        1.75, "minimum tokens in a conclusion, as a multiple of the question's", low=0.0, high=10.0
    )
    premise_factor: float = setting(
        1.75, "minimum tokens in a premise, as a multiple of its conclusion's", low=0.0, high=10.0
    )
    scope: str = setting(
        "corpus",
        "source of a conclusion's premises: the corpus, or the arguments with this conclusion",
        choices=SCOPES,
    )
    rerank: str = setting("none", "re-ranker of conclusions and premises", choices=RERANKS)
    trade_off: float = setting(
        0.75, "MMR's λ: 1 is similarity alone, 0 is variety alone", low=0.0, high=1.0
    )
    mu_conclusions: float = setting(
        MU_CONCLUSIONS, "mixtures' μ: weight of the conclusions' cosine", low=0.0, high=1.0
    )
    mu_premises: float = setting(
        MU_PREMISES, "mixtures' μ: weight of the premises' cosine", low=0.0, high=1.0
    )
    mode: str = setting(
        "distance", "mixed value: W22's distance, or the similarity", choices=MIXTURE_READINGS
    )
    tagger: str = setting(
        "index",
        "tagger for the structural distance: lexicon, spacy:MODEL, or index (the one the index "
        "was built with); others run at query time, which takes seconds",
    )
    vectors: str = setting(
        "index",
        "word vectors for the word mover's distance: wordllama, spacy:MODEL, "
        "spacy-content:MODEL, or index (those the index was built with)",
    )
    word_limit: int = setting(
        0,
        "distinct words per sentence used for this distance; 0: the index's own limit",
        low=0,
        high=1_000_000,
    )
    aggregation: str = setting(
        "nested", "formula that combines both scores of a pair", choices=tuple(FORMULAS)
    )
    quality: float = setting(
        0.0, "weight ω_Q of the quality of the premise's argument", low=0.0, high=1000.0
    )
    question: float = setting(
        0.0, "weight ω_T of the premise's own cosine with the question", low=0.0, high=1000.0
    )
    argument: float = setting(
        0.0,
        "weight ω_A of the rank score of the premise's argument under [retrieval] and [boost], "
        "relative to the best argument",
        low=0.0,
        high=1000.0,
    )
    statements_only: bool = setting(
        False,
        "leave out premises that are questions, quotes or fragments, or talk about the debate",
    )
    diversity_threshold: float = setting(
        1.0,
        "leave out a premise whose cosine with a better pair's premise is higher; 1 keeps all",
        low=0.0,
        high=1.0,
    )
    max_per_conclusion: int = setting(50, "maximum pairs per conclusion", low=1, high=50)
    max_per_argument: int = setting(
        50, "maximum pairs with premises from the same argument", low=1, high=50
    )


@dataclass(frozen=True, slots=True)
class PremiseRanking:
    """Section [premises]: how to rank the premises of the claims found (D20)."""

    family: str = setting(
        "plain",
        "pf·icf alone, quality alone (plain), their product, or their average",
        choices=FAMILIES,
    )
    dimensions: tuple[str, ...] = setting(
        DIMENSIONS, "quality dimensions; ignored by the pficf family", choices=DIMENSIONS
    )
    normalise: bool = setting(
        True, "scale a claim's products to sum to 1; false leaves them unscaled, as published"
    )
    depth: int = setting(
        100, "maximum claims per question, by the DFR model of [retrieval]", low=1, high=100_000
    )
    words: str = setting(
        "content",
        "question words used to search for claims: all (as published) or content (no English "
        "stop words, unless no others remain)",
        choices=("all", "content"),
    )
    cosine: float = setting(
        2.0,
        "exponent of max(0, cosine of question and claim), a factor of the claim's score; 0 uses "
        "words alone, as published",
        low=0.0,
        high=100.0,
    )
    stance: str = setting(
        "both",
        "rank supporting and attacking premises in one list, or only one kind",
        choices=("both", "pro", "con"),
    )
    representative: str = setting(
        "cluster",
        "text that represents a premise cluster: the longest in the cluster, as in the paper, or "
        "the longest among the claims found",
        choices=("cluster", "found"),
    )


@dataclass(frozen=True, slots=True)
class Countering:
    """Section [counters]: weights for counter-arguments in an index with stances."""

    side: float = setting(
        4.0, "weight of the signed probability of a candidate's side", low=0.0, high=1000.0
    )
    quality: float = setting(6.0, "weight of a candidate's quality", low=0.0, high=1000.0)
    least: float = setting(
        0.5,
        "show candidates that argue against the author with at least this probability; supporters "
        "score below 0, so -1 shows all",
        low=-1.0,
        high=1.0,
    )


@dataclass(frozen=True, slots=True)
class Siding:
    """Section [stance]: how to read the sides of a question."""

    near: bool = setting(
        True,
        "also use arguments found by meaning if words find fewer than five on a side",
    )
    model: str = setting(
        "none",
        "a model for natural language inference or stance that also reads the first 30 hits: a "
        "name on a model hub, or a folder (docs/stance.md); needs the extra sbert",
    )


@dataclass(frozen=True, slots=True)
class Config:
    """A named configuration: how an index is built and how a query is answered."""

    name: str = "default"
    retrieval: Retrieval = field(default_factory=Retrieval)
    boost: Boost = field(default_factory=Boost)
    meaning: Meaning = field(default_factory=Meaning)
    rerank: Rerank = field(default_factory=Rerank)
    premises: PremiseRanking = field(default_factory=PremiseRanking)
    pairs: Pairing = field(default_factory=Pairing)
    counters: Countering = field(default_factory=Countering)
    stance: Siding = field(default_factory=Siding)
    index: IndexSettings = field(default_factory=IndexSettings)
    settings: Mapping[str, Stage] = field(default_factory=dict, hash=False)
    """The stages that have a section in the configuration, by name."""

    def __post_init__(self) -> None:
        if self.rerank.stages and self.rerank.method != "none":
            raise InvalidParameter("rerank.method", self.rerank.method, "none with rerank.stages")
        least = self.boost.premises_depth if self.boost.premises else 1
        if self.meaning.weight and self.meaning.depth < least:
            allowed = f"from {least} (boost.premises_depth) to 10,000"
            raise InvalidParameter("meaning.depth", self.meaning.depth, allowed)

    @property
    def reranking(self) -> tuple[tuple[Stage, int], ...]:
        """The stages of section [rerank] in order, with the number of hits that each one reads."""
        stages = (self.settings.get(name) or STAGES[name]() for name in self.rerank.names)
        return tuple((stage, self.rerank.depth) for stage in stages)

    @property
    def stages(self) -> tuple[tuple[Stage, int], ...]:
        """All stages after retrieving arguments. The premises' factor of Eq. 1 comes first."""
        return (*self.retrieving, *self.reranking)

    @property
    def retrieving(self) -> tuple[tuple[Stage, int], ...]:
        """The stages for arguments only: the premises' factor, then fusion by meaning."""
        boost, near = self.boost, self.meaning
        premises = PremiseFactor(boost.premises), boost.premises_depth
        fusion = Fusion(near.weight, near.depth, near.paraphrase_weight, near.quality), near.depth
        return (*([premises] if boost.premises else []), *([fusion] if near.weight else []))

    def brief(self, stored: bool) -> bool:
        """Return True if every stage takes only a few milliseconds.

        Stages that read texts or compute vectors take longer. stored: true if vectors are stored.
        """
        slow = {"texts", "meaning"} if stored else {"texts", "vectors", "meaning"}
        return all(slow.isdisjoint(stage.needs) for stage, _ in self.stages)

    def to_dict(self) -> dict[str, Any]:
        """Return the sections as nested dictionaries, ready for JSON or TOML."""
        sections = {section: asdict(getattr(self, section)) for section in CONFIG_SECTIONS}
        sections["boost"]["columns"] = dict(self.boost.columns)
        sections["rerank"] |= {name: asdict(stage) for name, stage in self.settings.items()}  # type: ignore[call-overload]
        return {"name": self.name, **sections}

    @property
    def sha256(self) -> str:
        """Digest of the values that affect answers, excluding those used to build an index."""
        values = {key: of for key, of in self.to_dict().items() if key not in ("name", "index")}
        return sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()


CONFIG_SECTIONS: dict[str, Any] = {
    f.name: f.default_factory for f in fields(Config) if f.name not in ("name", "settings")
}


class ConfigError(ArgsearchError):
    """A configuration that cannot be found or parsed."""

    exit_code = 2


def names() -> list[str]:
    """Return the names of the shipped configurations."""
    return sorted(path.stem for path in CONFIGS.glob("*.toml"))


def _find(spec: str | Path) -> Path:
    path = Path(spec)
    with suppress(OSError):  # such as a name that is too long
        if path.is_file():
            return path
    if path.suffix == ".toml":
        raise ConfigError(f"there is no configuration file {str(spec)!r}")
    if str(spec) not in names():
        raise InvalidParameter("config", str(spec), f"a .toml file or one of {', '.join(names())}")
    return CONFIGS / f"{spec}.toml"


def _override(sections: dict[str, dict[str, Any]], override: str) -> None:
    key, equals, text = override.partition("=")
    *path, name = key.strip().split(".")
    if not (equals and path and all(path) and name and len(path) <= 2):
        raise InvalidParameter("--set", override, SETTINGS.allowed)
    try:
        value = parse_toml(f"value = {text.strip()}")["value"]
    except TOMLDecodeError:
        value = text.strip()  # a bare word is a text: --set boost.cosine=shifted
    except ValueError as error:
        raise InvalidParameter("--set", override, f"section.key=value; {error}") from error
    place: Any = sections
    for step in path:
        place = place.setdefault(step, {})
        if not isinstance(place, dict):
            raise InvalidParameter("--set", override, f"section.key=value; {step} is not a section")
    place[name] = value


def from_dict(name: str, sections: Mapping[str, Mapping[str, Any]]) -> Config:
    """Return a configuration from parsed sections, or raise InvalidParameter for an invalid key."""
    for section, values in sections.items():
        if section not in CONFIG_SECTIONS or not isinstance(values, Mapping):
            allowed = ", ".join(CONFIG_SECTIONS)
            problem = f"there is no config section [{section}]; the sections are {allowed}"
            raise InvalidParameter("config section", section, allowed, problem)
    tables = dict(sections)
    _plug(tables)
    stages = _stages(tables)
    read = {
        section: read_section(CONFIG_SECTIONS[section], section, values)
        for section, values in tables.items()
    }
    return Config(name=name, **read, settings=stages)


def _plug(tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Register the classes that sections name as `module:Class`.

    Raises PluginUnavailable if a class cannot be loaded or is of the wrong kind.
    """
    rerank = tables.get("rerank", {})
    stages = (rerank.get("method"), *_texts(rerank.get("stages")), *rerank)
    models = (tables.get("retrieval", {}).get("model"),)
    for asked, table, base in ((models, SIMILARITIES, Similarity), (stages, STAGES, Stage)):
        for place in asked:
            if isinstance(place, str) and place not in table and plugins.PLACE.fullmatch(place):
                table[place] = plugins.at(place, base)


def _texts(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _stages(tables: dict[str, Mapping[str, Any]]) -> dict[str, Stage]:
    """Remove the sections [rerank.NAME] from the tables and return their stages."""
    rerank = tables.get("rerank", {})
    inner = {key: value for key, value in rerank.items() if isinstance(value, Mapping)}
    for name in inner:
        if name not in STAGES:
            allowed, section = ", ".join(STAGES), f"rerank.{name}"
            problem = f"there is no config section [{section}]; [rerank] has {allowed}"
            raise InvalidParameter("config section", section, allowed, problem)
    if inner:
        tables["rerank"] = {key: value for key, value in rerank.items() if key not in inner}
    return {name: read_section(STAGES[name], f"rerank.{name}", inner[name]) for name in inner}


def load_config(spec: str | Path | Config = "default", overrides: Sequence[str] = ()) -> Config:
    """Load a configuration by its shipped name or path, and apply `section.key=value` overrides.

    Raises ConfigError if the file is missing or malformed. Raises InvalidParameter if a name or
    key is unknown, or a value is out of range.
    """
    if isinstance(spec, Config):
        name, sections = spec.name, spec.to_dict()
        del sections["name"]
    else:
        path = _find(CONFIG.read(spec, also=(Path,)))
        try:
            sections = parse_toml(path.read_text(encoding="utf-8-sig"))
        except ValueError as error:
            raise ConfigError(f"configuration {path.name} is not valid TOML: {error}") from error
        name = path.stem
    for override in SETTINGS.read(overrides):
        _override(sections, override)
    _without_encoder(sections, overrides)
    return from_dict(name, sections)


def _without_encoder(sections: dict[str, Any], overrides: Sequence[str]) -> None:
    """Remove the part `vectors` if an override sets its encoder to `none`.

    A part that an override names explicitly stays, and causes an error that gives the reason.
    """
    keys = [override.partition("=")[0].strip() for override in overrides]
    index = sections.get("index", {})
    if "index.encoder" in keys and "index.parts" not in keys and index.get("encoder") == "none":
        index["parts"] = [name for name in index.get("parts", ()) if name != "vectors"]


def describe(config: Config) -> str:
    """Draw the stages of a configuration as text."""
    boost, retrieval = config.boost, config.retrieval
    keys = ", ".join(f"{key} {value}" for key, value in retrieval.parameters().items())
    lines = [
        f"{config.name}",
        "",
        "question",
        "   │",
        "   ▼",
        f"retrieve   R by {retrieval.model}" + (f" ({keys})" if keys else ""),
        "           S = R · (1 + w_cluster · C) · (1 + w_quality · Q)",
        f"           w_cluster {boost.cluster:g} ({boost.cosine} cosine), "
        f"w_quality {boost.quality:g}",
        f"           exact, over every argument{' that matches' * (retrieval.model != 'constant')}",
    ]
    for stage, depth in config.stages:
        lines += ["   │", f"   ▼  the first {depth}; those below follow"]
        lines += _described(stage)
    return "\n".join([*lines, "   │", "   ▼", "hits"])


def _described(stage: Stage) -> list[str]:
    settings: Any = stage
    keys = ", ".join(f"{f.name} {getattr(settings, f.name)}" for f in fields(settings))
    return [
        f"{stage.name:10} {stage.doc}",
        f"           {stage.formula}",
        f"           {keys or 'no settings'}; looks at {', '.join(stage.needs) or 'nothing else'}",
    ]
