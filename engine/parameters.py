"""Parameters of a query, each defined once for Python, the command line, HTTP and MCP.

An integer consists of digits, or is a number without a fraction (3.0, because JSON does not
distinguish it from 3). A number is a finite decimal. Booleans, 1_0, inf and nan are not numbers.
Numbers may be text only on the command line and in URLs, where every value is text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from operator import index
from typing import Any, Literal, get_args

from argsearch.indexer.errors import NEW_NAMES, InvalidParameter, Missing, either, short

SideName = Literal["for", "against", "unclear"]
"""An argument's side of a question."""
SideFilter = Literal["for", "against", "unclear", "both"]
"""The side that a search is limited to; `both` requests a list for each side."""
HitSide = Literal["for", "against", "unclear", "supports"]
"""The side of a hit; a counter-argument on the author's side `supports` the author."""
StanceName = Literal["pro", "con"]
"""Stance towards its own conclusion that an argument must have."""
UnitName = Literal["arguments", "pairs", "premises", "counters"]
"""The units of a search; plug-ins may add others."""
FormatName = Literal["json", "csv", "markdown", "bibtex", "argdown", "cards"]
"""The format of an HTTP response."""
MAX_TEXT_CHARACTERS = 1_000_000
"""Maximum length of a text to search for or to challenge, in characters."""
LONGEST_CLAUSE = 2_000
"""Maximum length of a condition, override or path, in characters."""
LARGEST_PAGE = 1_000_000_000
"""Largest cutoff k and largest offset. A ranking may be shorter."""
WORDY = r"[^\s\x1c-\x1f\x85\ufeff]"
"""A character other than white space by the rules of Python, ECMA-262 and pydantic alike."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
# 18 digits fit into 64 bits. int() refuses 4,300 digits with an error of its own.
_INTEGER = re.compile(r"(-?\d{1,18})(\.0+)?", re.ASCII)


def number(text: str) -> float:
    """Return the finite decimal number in a text, or raise ValueError if there is none."""
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
"""Functions that convert text to each kind of value."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """The rules for one parameter, shared by all interfaces."""

    name: str
    kind: type
    """int, float, bool or str."""
    doc: str
    """Description in one sentence."""
    default: Any = None
    """The value if none is given; None means that there is no default."""
    choices: tuple[str, ...] = ()
    any_case: bool = False
    """If true, choices are accepted in any case."""
    low: float | None = None
    high: float | None = None
    """For a text, its maximum length in characters."""
    pattern: str | None = None
    """Regular expression that must match somewhere in a text."""
    several: int = 0
    """Maximum number of values in a list; 0 means a single value instead of a list."""
    required: bool = False
    form: str = ""
    """Description of the allowed values, if choices and range are not enough."""

    def but(self, **changes: Any) -> Parameter:
        """Return a copy with some attributes changed, such as the name or the default."""
        return replace(self, **changes)

    @property
    def allowed(self) -> str:
        """Allowed values, in words."""
        if self.kind is bool:
            return "true or false"
        if self.choices:
            return either(self.choices)
        if self.kind is str:
            form = self.form or "a text"
            return f"{form}, at most {self.high:,} characters long" if self.high else form
        span = f"from {self.low} to {self.high}" if self.high else f"of at least {self.low}"
        return f"a {'whole ' * (self.kind is int)}number {span}"

    @property
    def said(self) -> str:
        """Allowed values in words, as a list if the parameter takes several."""
        if not self.several:
            return self.allowed
        number = f"{'1 to' if self.required else 'at most'} {self.several}"
        return f"a list of {number} values; each must be {self.allowed}"

    def read(self, value: Any, text: bool = False, also: tuple[type, ...] = ()) -> Any:
        """Return the value, converted for use, or raise InvalidParameter if it is not allowed.

        text: true if every value is given as text. also: classes whose objects are not converted.
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
        # A single text is a list of one text and must not be read character by character.
        if isinstance(values, (str, *also)):
            values = [values]
        if not isinstance(values, Iterable) or isinstance(values, bytes | Mapping):
            raise InvalidParameter(self.name, values, self.said)
        found = list(values)
        if len(found) > self.several or (self.required and not found):
            raise InvalidParameter(self.name, found, self.said)
        single = self.but(several=0, required=True) if found else self
        return [single.read(value, also=also) for value in found]

    def _kept(self, value: Any) -> Any:
        """Return the value if it is allowed, or else raise ValueError or TypeError."""
        if self.kind is str:
            return self._text(value)
        # Python counts True as an int, but k=True is a mistake.
        if isinstance(value, bool) != (self.kind is bool):
            raise TypeError
        if self.kind is int:
            # JSON does not distinguish 3.0 from 3. `index` takes numpy's integers, not text.
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
        """Return the text if it is allowed and can be encoded as UTF-8."""
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
    """Return parameters by name. A later parameter replaces an earlier one of the same name."""
    return {one.name: one for one in parameters}


def read_all(known: Parameters, given: Mapping[str, Any], text: bool = False) -> dict[str, Any]:
    """Return all given values, converted. Raises InvalidParameter for an invalid name or value."""
    for name, value in given.items():
        if name not in known:
            # Users of an earlier release may know only the old name.
            renamed = NEW_NAMES.get(name)
            names = renamed or ", ".join(known)
            advice = f"its new name is {names}" if renamed else f"the parameters are {names}"
            problem = f"there is no parameter {short(name)}; {advice}"
            raise InvalidParameter(name, value, names, problem)
    found = {}
    for name, one in known.items():
        if name in given:
            # JSON needs a list for several values; only Python accepts a single value too.
            if one.several and not isinstance(given[name], list):
                raise InvalidParameter(name, given[name], one.said)
            found[name] = one.read(given[name], text)
        elif one.required:
            raise InvalidParameter(name, Missing(), one.said)
    return found


QUERY = Parameter(
    "query",
    str,
    "The question, or keywords.",
    pattern=WORDY,
    high=MAX_TEXT_CHARACTERS,
    required=True,
    form="a text with at least one word",
)
BATCH = QUERY.but(name="texts", doc="Questions.", default=(), several=LARGEST_PAGE, required=False)
TEXT = QUERY.but(name="text", doc="The text to challenge.")
ABOUT = Parameter(
    "about",
    str,
    "The claim or question that the text is about. If omitted, it is read from the text.",
    pattern=WORDY,
    high=LONGEST_CLAUSE,
    form="a text with at least one word",
)
AUTHOR_SIDE = Parameter(
    "side",
    str,
    "The author's side of that claim. If omitted, it is inferred from the text where possible.",
    choices=("for", "against"),
)
QUOTES_PER_SIDE = Parameter(
    "k", int, "Maximum number of arguments to quote for each side.", 5, low=1, high=100
)
ID = Parameter("id", str, "The id of an argument.", required=True)
ADDRESS = Parameter(
    "address",
    str,
    "The index: a folder, or an address on a search server.",
    required=True,
    form="a folder, or the http(s) address of an index on a search server",
)
K = Parameter("k", int, "Maximum number of results.", 10, low=1, high=LARGEST_PAGE)
OFFSET = Parameter("offset", int, "Number of top results to skip.", 0, low=0, high=LARGEST_PAGE)
WHERE = Parameter(
    "where",
    str,
    "Show only arguments that meet this condition, such as 'quality >= .6' or "
    "'source = \"Guardian, London\"' (quote a value with commas); repeat to add conditions.",
    (),
    high=LONGEST_CLAUSE,
    several=1000,
    form="COLUMN OPERATOR VALUE with a column of the index, such as quality >= .6",
)
STANCE = Parameter(
    "stance",
    str,
    "Show only arguments with this stance towards their own conclusion.",
    choices=get_args(StanceName),
    any_case=True,
)
SIDE = Parameter(
    "side",
    str,
    "Show only arguments on this side, from the first 100 hits; both: k for, then k against.",
    choices=get_args(SideFilter),
)
ONE_SIDE = SIDE.but(doc="Show only arguments on this side.", choices=get_args(SideName))
SIDES = Parameter("sides", bool, "Add each result's side and the balance of the two sides.", False)
COLLAPSE = Parameter(
    "collapse",
    bool,
    "Show only the best of several near-duplicates (needs the part near_duplicates).",
    False,
)
SPREAD = Parameter(
    "spread",
    bool,
    "Show at most two arguments from one debate in the top five, and reasons above bare claims.",
    False,
)
DISCRIMINATIVE = Parameter(
    "discriminative",
    bool,
    "List only results that share a specific word with the question (“zoos”, not “should”) or are "
    "close to it in meaning. With a sort, and for pairs and premises, list only results that are "
    "about the question.",
    False,
)
SORT = Parameter(
    "sort",
    str,
    "A numeric column to sort by instead of the score; a leading - means descending order.",
    pattern=WORDY,
    high=LONGEST_CLAUSE,
    form="a numeric column of the index, such as date, or -date for descending order",
)
FACET = Parameter(
    "facet",
    str,
    "A column whose values are counted, such as stance or words; repeatable.",
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
    doc="The configuration: a shipped name, or a path to a .toml file. If omitted: meaning if the "
    "index has that part, else default.",
    default=None,
)
SETTINGS = Parameter(
    "--set",
    str,
    "Override one value of the configuration; repeatable.",
    (),
    high=LONGEST_CLAUSE,
    several=1000,
    form="section.key=value, such as boost.quality=0.5",
)
FOR_READERS = {"sides": True, "spread": True, "discriminative": True}
"""Options that are on by default when a person or a language model reads the answer."""
ONCE = Parameter("once", bool, "Return only the best of several results with the same id.", False)
EXPLAIN = Parameter("explain", bool, "Add the derivation of each score.", False)
FORMAT = Parameter("format", str, "The format of the answer.", "json", get_args(FormatName))
ONLY = Parameter(
    "only",
    str,
    "Include only the result with this id; repeatable.",
    (),
    several=1000,
    form="the id of a hit",
)
FINGERPRINT = Parameter(
    "fingerprint",
    str,
    "Fail unless the index has this fingerprint, copied from a receipt.",
    high=64,
    form="the fingerprint of this index",
)
CONFIG_SHA256 = Parameter(
    "config_sha256",
    str,
    "Fail unless the configuration has this digest, copied from a receipt.",
    high=64,
    form="the digest of the configuration's values",
)
