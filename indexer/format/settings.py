"""Typed sections of a configuration; each key has a type, an allowed range and a description."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar

from argsearch.indexer.encoders import SPECS
from argsearch.indexer.errors import InvalidParameter, either
from argsearch.ranking.parameters import parameter

Section = TypeVar("Section")


setting = parameter
"""A field of a section; `parameter` also creates the fields of models.

A field with `low`, `high` and an empty tuple as default is a table of numbers, stored as pairs.
"""


LONGEST_TOML = 1 << 20
"""Maximum length of a TOML text, in characters."""
DEEPEST_KEY = 32
"""Maximum number of parts in a dotted key; tomllib spends time on each of its prefixes."""
_DEEP_KEY = re.compile(
    r"""(?m)(?:^|[{,])[ \t]*+\[{0,2}[ \t]*+"""
    rf"""(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{DEEPEST_KEY}}}""",
    re.ASCII,
)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables in a TOML text; raise ValueError with a one-line reason."""
    if len(text) > LONGEST_TOML:
        raise ValueError(f"it must have at most {LONGEST_TOML:,} characters, not {len(text):,}")
    if _DEEP_KEY.search(text):
        raise ValueError(f"a dotted key must have at most {DEEPEST_KEY} parts, but one has more")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:
        raise ValueError("a number has more than 4,300 digits") from error
    except RecursionError as error:
        raise ValueError("it has too many nested levels") from error


def allowed(metadata: Mapping[str, Any], default: Any) -> str:
    """Return the allowed values of a setting, as text."""
    choices = either(metadata["choices"]) if metadata["choices"] else ""
    span = f"from {metadata['low']} to {metadata['high']}"
    if isinstance(default, tuple) and metadata["low"] is not None:
        return f"a table of numbers {span}"
    if isinstance(default, tuple):
        return f'a list, such as ["name"], of {choices or "texts"}'
    if choices or isinstance(default, bool):
        return choices or "true or false"
    if isinstance(default, int | float):
        return f"a {'whole ' if isinstance(default, int) else ''}number {span}"
    return "a non-empty text"


def _valid(value: Any, default: Any, metadata: Mapping[str, Any]) -> bool:
    low, choices = metadata["low"], metadata["choices"]
    if isinstance(default, tuple) and low is not None:
        return isinstance(value, Mapping) and all(_valid(v, 0.0, metadata) for v in value.values())
    # A repeated text is a mistake and is rejected.
    if isinstance(default, tuple):
        listed = isinstance(value, list | tuple) and len(set(map(str, value))) == len(value)
        return listed and all(_valid(v, next(iter(choices), ""), metadata) for v in value)
    kind = int | float if isinstance(default, float) else type(default)
    if not isinstance(value, kind) or isinstance(value, bool) != isinstance(default, bool):
        return False
    if choices:
        return value in choices
    return (
        value != "" if isinstance(default, bool | str) else bool(low <= value <= metadata["high"])
    )


def _as_kept(value: Any, default: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple((key, float(one)) for key, one in sorted(value.items()))
    if isinstance(default, tuple):
        return tuple(value)
    return float(value) if isinstance(default, float) else value


NEW_KEYS = {
    "retrieval": {"forms": "stem_conflation"},
    "premises": {"shown": "representative"},
    "pairs": {
        "apart": "diversity_threshold",
        "each": "max_per_conclusion",
        "each_argument": "max_per_argument",
        "join": "aggregation",
        "reading": "mode",
        "statements": "statements_only",
    },
    "rerank.structural": {"reading": "mode"},
    "rerank.word_movers": {"reading": "mode"},
    "rerank.quality": {"reading": "mode"},
}
"""Keys of version 0.1 by section, and the new names that errors suggest."""


def read_section(section: Callable[..., Section], name: str, values: Mapping[str, Any]) -> Section:
    """Return a section of a configuration from its parsed values.

    Raises InvalidParameter with `name.key` for an unknown key, a wrong type or a value outside its
    range.
    """
    known = {f.name: f for f in fields(section)}  # type: ignore[arg-type]
    checked: dict[str, Any] = {}
    for key, value in values.items():
        if key in (renamed := NEW_KEYS.get(name, {})):
            problem = f"there is no config key {name}.{key}; its new name is {renamed[key]}"
            raise InvalidParameter(f"config key {name}.{key}", value, renamed[key], problem)
        if key not in known:
            keys = ", ".join(known)
            problem = f"there is no config key {name}.{key}; the keys of [{name}] are {keys}"
            raise InvalidParameter(f"config key {name}.{key}", value, keys, problem)
        default, metadata = known[key].default, known[key].metadata
        if default is MISSING or not _valid(value, default, metadata):
            raise InvalidParameter(f"{name}.{key}", value, allowed(metadata, default))
        checked[key] = _as_kept(value, default)
    return section(**checked)


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Section [index]: everything that is computed once, when the index is built (H21)."""

    encoder: str = setting(
        "wordllama",
        f"sentence encoder for conclusions and queries: {SPECS} (builds no clusters)",
    )
    clusters: int = setting(
        300, "number k of k-means clusters; smaller corpora get a smaller k", low=1, high=65_000
    )
    scale_clusters: bool = setting(
        True, "corpora smaller than args.me get a smaller k; false: k unchanged, as published"
    )
    weight_by_count: bool = setting(
        True, "k-means weights each distinct conclusion by its number of arguments, as in H21"
    )
    seed: int = setting(
        0, "seed of k-means: the same seed gives the same index", low=0, high=2**31 - 1
    )
    quality_model: str = setting(
        "default",
        "model of argument quality: default or words (shipped), none, or a file or folder "
        "(relative to ARGSEARCH_MODELS, or to the current folder)",
    )
    quality_scale: str = setting(
        "clip",
        "raw predictions clipped to [0, 1], or min-max rescaled over the corpus",
        choices=("clip", "minmax"),
    )
    claim_distance: float = setting(
        0.0,
        "part premises: maximum distance between unit vectors of claims with the same meaning; 0: "
        "cut into n / 5.5 clusters (D20)",
        low=0.0,
        high=2.0,
    )
    premise_distance: float = setting(0.6, "the same for premises", low=0.0, high=2.0)
    distinct_premises: bool = setting(
        True,
        "part premises: count equal texts as one premise; false: each occurrence, as in the paper "
        "(D20)",
    )
    premise_pieces: int = setting(
        0,
        "part premises: number of pieces that k-means first splits the premises into (D20: 4); 0: "
        "enough that each has at most 6,000. Larger pieces are split again",
        low=0,
        high=1000,
    )
    premise_starts: int = setting(
        1, "number of starts of that k-means; the best is used (D20: 25)", low=1, high=1000
    )
    pairwise_model: str = setting(
        "default",
        "part premises: model that compares two premises: default (shipped), or a file from "
        "`argsearch train pairwise`",
    )
    pair_tagger: str = setting(
        "lexicon",
        "part pairs: tagger of the structural distance: lexicon (shipped), or spacy:MODEL "
        "(W22: en_core_web_md)",
    )
    pair_vectors: str = setting(
        "wordllama",
        "part pairs: word vectors for the word mover's distance: wordllama, spacy:MODEL (W22: "
        "en_core_web_md, with its tool's words), or spacy-content:MODEL (with our content words)",
    )
    word_limit: int = setting(
        100,
        "part pairs: number of a sentence's most frequent words used for that distance; W22 has "
        "no limit",
        low=1,
        high=1_000_000,
    )
    meaning_encoder: str = setting(
        "none",
        f"part meaning: sentence encoder for conclusions and passages: {SPECS} (minilm if "
        "installed, otherwise the index's own)",
    )
    parts: tuple[str, ...] = setting(
        (), "optional parts to build with the index, as with `argsearch index --with`"
    )
