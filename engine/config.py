"""Configurations: frozen dataclasses read from configs/*.toml, with overrides."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.errors import ArgsearchError, InvalidParameter
from indexer.layout.settings import IndexSettings, read_section, setting
from ranking.parameters import with_fields
from ranking.similarities.registry import SIMILARITIES, keys, keys_of, weighs_fields

CONFIGS = Path(__file__).resolve().parent.parent / "configs"


@dataclass(frozen=True, slots=True)
@with_fields(keys(), before="lengths")
class Retrieval:
    """Section [retrieval]: the relevance R of Eq. 1; each model's parameters are fields too."""

    model: str = setting(
        "dirichlet",
        "relevance model; `constant` fixes R at 1: every argument is eligible (H21 runs 4, 5)",
        choices=(*SIMILARITIES, "constant"),
    )
    fields: str = setting(
        "text",
        "what is searched: premises and conclusion, or one of the two (BM25F weighs both)",
        choices=("text", "conclusion", "premise"),
    )
    lengths: str = setting(
        "lucene",
        "document lengths in Lucene's one byte, or exact",
        choices=("lucene", "exact"),
    )

    def parameters(self) -> dict[str, Any]:
        """The keys that this model reads, and their values."""
        if self.model not in SIMILARITIES:
            return {}
        own = keys_of(self.model)
        read = (*own, "lengths") if weighs_fields(self.model) else ("fields", *own, "lengths")
        return {key: getattr(self, key) for key in read}

    if TYPE_CHECKING:

        def __getattr__(self, key: str) -> Any:
            """The parameter of a model: mu, k1, …"""


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


@dataclass(frozen=True, slots=True)
class Rerank:
    """Section [rerank]: re-ranking of the best hits for variety."""

    method: str = setting("none", "re-ranking: none, or mmr (W22)", choices=("none", "mmr"))
    depth: int = setting(100, "how many of the best hits are re-ranked", low=1, high=10_000)
    trade_off: float = setting(
        0.75, "MMR's λ: 1 is relevance alone, 0 is variety alone", low=0.0, high=1.0
    )


@dataclass(frozen=True, slots=True)
class Config:
    """A named system: how an index is built and how a query is answered."""

    name: str = "default"
    retrieval: Retrieval = field(default_factory=Retrieval)
    boost: Boost = field(default_factory=Boost)
    rerank: Rerank = field(default_factory=Rerank)
    index: IndexSettings = field(default_factory=IndexSettings)

    def to_dict(self) -> dict[str, Any]:
        """The sections as nested dictionaries, ready for JSON or TOML."""
        return asdict(self)


SECTIONS = {"retrieval": Retrieval, "boost": Boost, "rerank": Rerank, "index": IndexSettings}


class ConfigError(ArgsearchError):
    """A configuration that cannot be found or parsed."""

    exit_code = 2


def names() -> list[str]:
    """The names of the shipped configurations."""
    return sorted(path.stem for path in CONFIGS.glob("*.toml"))


def _find(spec: str | Path) -> Path:
    path = Path(spec)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise ConfigError(f"no configuration file {str(spec)!r}")
        return path
    if str(spec) not in names():
        raise InvalidParameter(
            "config", str(spec), f"{', '.join(names())}, or a path to a .toml file"
        )
    return CONFIGS / f"{spec}.toml"


def _override(sections: dict[str, dict[str, Any]], override: str) -> None:
    key, equals, text = override.partition("=")
    section, dot, name = key.strip().partition(".")
    if not (equals and dot and name):
        raise InvalidParameter("--set", override, "section.key=value, such as boost.quality=0.5")
    try:
        value = tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()  # a bare word is a text: --set boost.cosine=shifted
    sections.setdefault(section, {})[name] = value


def from_dict(name: str, sections: Mapping[str, Mapping[str, Any]]) -> Config:
    """A configuration from parsed sections; raises InvalidParameter naming the key at fault."""
    for section, values in sections.items():
        if section not in SECTIONS or not isinstance(values, Mapping):
            raise InvalidParameter("config section", section, ", ".join(SECTIONS))
    read = {
        section: read_section(SECTIONS[section], section, values)
        for section, values in sections.items()
    }
    return Config(name=name, **read)


def load_config(spec: str | Path | Config = "default", overrides: Sequence[str] = ()) -> Config:
    """The configuration `spec` (a shipped name or a path), with `section.key=value` overrides.

    Raises ConfigError for a missing or malformed file, InvalidParameter for an unknown name, key or
    a value outside its range.
    """
    if isinstance(spec, Config):
        name, sections = spec.name, {s: dict(asdict(getattr(spec, s))) for s in SECTIONS}
    else:
        path = _find(spec)
        try:
            sections = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"configuration {path.name} is not valid TOML: {error}") from error
        name = path.stem
    for override in overrides:
        _override(sections, override)
    return from_dict(name, sections)
