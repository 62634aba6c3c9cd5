"""Parameters of a question: one definition each, for Python, command line, HTTP and MCP alike.

A whole number is digits, or a number without a rest (3.0, which JSON does not tell from 3), a
number is a decimal one: no truth value, 1_0, inf or nan. Only on the command line and in an
address, where all is text, are they read from texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from operator import index
from typing import Any

from argsearch.indexer.errors import NEW_NAMES, InvalidParameter, Missing

MAX_TEXT_CHARACTERS = 1_000_000
"""Characters of the longest text that can be searched by or challenged."""
LONGEST_CLAUSE = 2_000
"""Characters of the longest condition, override or path."""
LARGEST_PAGE = 1_000_000_000
"""The largest cutoff k and offset that are accepted; a ranking ends with its last match."""
WORDY = r"[^\s\x1c-\x1f\x85\ufeff]"
"""A character that is no white space, to Python, to ECMA-262 and to pydantic alike."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
# 18 digits fit into 64 bits; int() refuses 4,300 with an error of its own.
_INTEGER = re.compile(r"(-?\d{1,18})(\.0+)?", re.ASCII)


def number(text: str) -> float:
    """Return the finite number that a text writes as a decimal; raises ValueError."""
    if not _NUMBER.fullmatch(text) or not math.isfinite(found := float(text)):
        raise ValueError(text)
    return found


def _whole(text: str) -> int:
    found = _INTEGER.fullmatch(text)
    if not found:
        raise ValueError(text)
    return int(found[1])


_WRITTEN: dict[type, Callable[[str], Any]] = {
    int: _whole,
    float: number,
    bool: lambda text: {"true": True, "false": False}[text.lower()],
    str: str,
}
"""What a text means where all is text, by kind."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """What may be given for one parameter, wherever it is given."""

    name: str
    kind: type
    """int, float, bool or str."""
    doc: str
    """One sentence."""
    default: Any = None
    """None: it may be left out, and is then not asked for."""
    choices: tuple[str, ...] = ()
    any_case: bool = False
    """Whether choices are read in any case."""
    low: float | None = None
    high: float | None = None
    """Of a text: its most characters."""
    pattern: str | None = None
    """What a text has to contain."""
    several: int = 0
    """How many values there may be, in a list; 0: one, and no list."""
    required: bool = False
    form: str = ""
    """What is allowed, in words, where choices and range do not say it."""

    def but(self, **changes: Any) -> Parameter:
        """Return the parameter with narrower limits, or another name, sentence or default."""
        return replace(self, **changes)

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.kind is bool:
            return "true, false"
        if self.choices:
            return ", ".join(self.choices)
        if self.kind is str:
            form = self.form or "a text"
            return f"{form} and at most {self.high:,} characters" if self.high else form
        span = f"from {self.low}" + ("" if self.high is None else f" to {self.high}")
        return f"a {'whole ' * (self.kind is int)}number {span}"

    @property
    def said(self) -> str:
        """What is allowed, of several values in a list."""
        if not self.several:
            return self.allowed
        return f"a list of {int(self.required)} to {self.several}, each {self.allowed}"

    def read(self, value: Any, text: bool = False, also: tuple[type, ...] = ()) -> Any:
        """Return the value as it is used; raises InvalidParameter.

        text: whether it comes from where all is text; also: classes whose objects are read already.
        """
        if value is None and self.default is None and not self.required:
            return None
        if self.several:
            return self._listed(value, also)
        if also and isinstance(value, also):
            return value
        try:
            written = text and isinstance(value, str)
            return self._kept(_WRITTEN[self.kind](value) if written else value)
        except (ValueError, TypeError, KeyError, OverflowError):
            raise InvalidParameter(self.name, value, self.allowed) from None

    def _listed(self, values: Any, also: tuple[type, ...]) -> list[Any]:
        # A single text is a list of one; it must not be read letter by letter.
        if isinstance(values, (str, *also)):
            values = [values]
        if not isinstance(values, Iterable) or isinstance(values, bytes | Mapping):
            raise InvalidParameter(self.name, values, self.said)
        found = list(values)
        if len(found) > self.several or (self.required and not found):
            raise InvalidParameter(self.name, found, self.said)
        single = self.but(several=0, required=True)
        return [single.read(value, also=also) for value in found]

    def _kept(self, value: Any) -> Any:
        """The value, if it is of its kind and allowed; raises ValueError or TypeError."""
        if self.kind is str:
            return self._text(value)
        # To Python True is an int; k=True is a mistake all the same.
        if isinstance(value, bool) != (self.kind is bool):
            raise TypeError
        if self.kind is int:
            # JSON does not tell 3.0 from 3; `index` takes numpy's whole numbers, and no text.
            value = int(value) if isinstance(value, float) and value.is_integer() else index(value)
        elif self.kind is float:
            value = float(value) if isinstance(value, Real) else math.nan
            if not math.isfinite(value):
                raise ValueError
        low, high = self.low, self.high
        if low is not None and not (low <= value and (high is None or value <= high)):
            raise ValueError
        return value

    def _text(self, value: str) -> str:
        """A text, which UTF-8 can write, of those allowed."""
        if not isinstance(value, str):
            raise TypeError
        # A lone surrogate, which JSON can write, would fail later in the middle of an answer.
        value.encode()
        if self.choices:
            lowered = value.lower() if self.any_case else value
            if lowered not in self.choices:
                raise ValueError
            return lowered
        if self.pattern is not None and not re.search(self.pattern, value):
            raise ValueError
        if self.high is not None and len(value) > self.high:
            raise ValueError
        return value


Parameters = Mapping[str, Parameter]
"""Parameters by name."""


def by_name(*parameters: Parameter) -> dict[str, Parameter]:
    """Return parameters by name, the last one of a name."""
    return {one.name: one for one in parameters}


def read_all(known: Parameters, given: Mapping[str, Any], text: bool = False) -> dict[str, Any]:
    """Return what is given, each read; raises InvalidParameter, for a wrong or missing name too."""
    for name, value in given.items():
        if name not in known:
            # Whoever used an earlier release knows the old name, not the new one.
            renamed = NEW_NAMES.get(name)
            names = f"{renamed}, its new name" if renamed else f"the parameters {', '.join(known)}"
            raise InvalidParameter(name, value, names)
    found = {}
    for name, one in known.items():
        if name in given:
            # In JSON a list is written as one; only Python takes a single value for it.
            if one.several and not isinstance(given[name], list):
                raise InvalidParameter(name, given[name], one.said)
            found[name] = one.read(given[name], text)
        elif one.required:
            raise InvalidParameter(name, Missing(), one.said)
    return found


QUERY = Parameter(
    "query",
    str,
    "The question or its words.",
    pattern=WORDY,
    high=MAX_TEXT_CHARACTERS,
    required=True,
    form="a text with at least one word",
)
BATCH = QUERY.but(name="texts", doc="Questions.", default=(), several=LARGEST_PAGE, required=False)
TEXT = QUERY.but(name="text", doc="The text that is challenged.")
ABOUT = Parameter(
    "about",
    str,
    "The claim or question that the text is about; else it is read from the text.",
    pattern=WORDY,
    high=LONGEST_CLAUSE,
    form="a text of at least one word",
)
AUTHOR_SIDE = Parameter(
    "side",
    str,
    "Where the text's author stands to that; else it is read from the text, where that is sure.",
    choices=("for", "against"),
)
QUOTES_PER_SIDE = Parameter(
    "k", int, "How many arguments of each side are quoted, at most.", 5, low=1, high=100
)
ID = Parameter("id", str, "The id of an argument.", required=True)
ADDRESS = Parameter(
    "address",
    str,
    "Where an index is.",
    required=True,
    form="a folder, or the http(s) address of an index on a search server",
)
K = Parameter("k", int, "How many are shown, at most.", 10, low=1, high=LARGEST_PAGE)
OFFSET = Parameter("offset", int, "How many of the best are left out.", 0, low=0, high=LARGEST_PAGE)
WHERE = Parameter(
    "where",
    str,
    "Only arguments whose column is so, such as 'quality >= .6' or 'source = \"Guardian, London\"' "
    "(quotes around a value with commas); repeated, all have to hold.",
    (),
    high=LONGEST_CLAUSE,
    several=1000,
    form="COLUMN OPERATOR VALUE with a column of the index, such as quality >= .6",
)
STANCE = Parameter(
    "stance",
    str,
    "Only what has that stance to its own conclusion, in any case.",
    choices=("pro", "con"),
    any_case=True,
)
SIDE = Parameter(
    "side",
    str,
    "Only what stands so to the question, among the first 100; both: k for it, then k against it.",
    choices=("for", "against", "unclear", "both"),
)
ONE_SIDE = SIDE.but(
    doc="Only what stands so to the question, among the first 100.",
    choices=SIDE.choices[:3],
)
SIDES = Parameter(
    "sides", bool, "Whether each hit carries its side of the question, and the answer a balance.",
    False,
)  # fmt: skip
COLLAPSE = Parameter(
    "collapse",
    bool,
    "Whether of near-duplicates only the best stands (an index with the part near_duplicates).",
    False,
)
SPREAD = Parameter(
    "spread",
    bool,
    "Whether of the first five hits at most two are of one debate, reasons before bare claims.",
    False,
)
DISCRIMINATIVE = Parameter(
    "discriminative",
    bool,
    "Whether only what has a word that tells what is asked for (zoos, not should) or is near it by "
    "meaning is listed, sorted and counted.",
    False,
)
SORT = Parameter(
    "sort",
    str,
    "A column of numbers to be in the order of, not scores; - before it for falling.",
    pattern=WORDY,
    high=LONGEST_CLAUSE,
    form="a column of the index with numbers, such as date; -date for falling",
)
FACET = Parameter(
    "facet",
    str,
    "A column to count all matches by, such as stance or words; may be repeated.",
    (),
    high=LONGEST_CLAUSE,
    several=1000,
    form="a column of the index, such as stance",
)
CONFIG = Parameter(
    "config",
    str,
    "The configuration: a shipped name, or a path to a .toml file.",
    "default",
    form="a shipped name, or a path to a .toml file",
)
USUAL_CONFIG = CONFIG.but(
    doc="The configuration: a shipped name, or a path to a .toml file; else meaning where the "
    "index has that part, and default elsewhere.",
    default=None,
)
SETTINGS = Parameter(
    "--set",
    str,
    "Override one value of the configuration; may be repeated.",
    (),
    high=LONGEST_CLAUSE,
    several=1000,
    form="section.key=value, such as boost.quality=0.5",
)
FOR_READERS = {"sides": True, "spread": True, "discriminative": True}
"""What is on where a person or a language model reads the answer."""
ONCE = Parameter("once", bool, "Whether of things with one id only the best stands.", False)
EXPLAIN = Parameter("explain", bool, "Whether hits carry what their scores follow from.", False)
FORMAT = Parameter(
    "format",
    str,
    "The form of the answer.",
    "json",
    ("json", "csv", "markdown", "bibtex", "argdown", "cards"),
)
ONLY = Parameter(
    "only",
    str,
    "Of the answer only the hit with this id; may be repeated.",
    (),
    several=1000,
    form="the id of a hit",
)
FINGERPRINT = Parameter(
    "fingerprint",
    str,
    "Only from the index with that fingerprint, as a receipt has it; another one refuses.",
    high=64,
    form="the fingerprint of this index",
)
CONFIG_SHA256 = Parameter(
    "config_sha256",
    str,
    "Only by a configuration of these values, as a receipt has it; another one refuses.",
    high=64,
    form="the digest of the configuration's values",
)
