"""Splits a text into the tokens of Lucene's StandardAnalyzer, without a list of stop words.

The token rules are the word boundaries of UAX #29 as in Lucene's StandardTokenizer, written with
the letters of `word_classes.CLASSES`. Words in alphabetic scripts and numbers follow the rules WB4
to WB13b. Each Han or Hiragana character is a token, and so is each run of a South East Asian
script. Emoji follow the sequences of UTS #51. A token is the longest run that matches `TOKEN`; text
that matches nothing is skipped. Rules are regular expressions with sets, groups, | * + ?, in which
blanks are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np

from argsearch.indexer.analysis.automaton import (
    DEAD,
    START,
    Automaton,
    Many,
    compile_pattern,
    one_of,
    some,
)
from argsearch.indexer.analysis.word_classes import CLASSES, class_table, lower_case

MAX_TOKEN = 255
"""Length of the longest token in UTF-16 units, as Lucene counts it; a longer token is split."""

_X = Many("xzpPktTse")  # WB4: marks and joiners belong to the character before
_x = Many("xzktTse")  # the same except for the two presentation selectors

_letter = ("AaH", _X)
_hebrew = ("H", _X)
_digit = ("Nd", _X)
_katakana = ("K", _X)
_underscore = ("_", _X)
_between_letters = ("Mbq", _X)
_between_digits = ("mbq", _X)

_letters = (_letter, Many((one_of(Many(_underscore), _between_letters), _letter)))  # WB5-7
_digits = (_digit, Many((one_of(Many(_underscore), _between_digits), _digit)))  # WB8, 11, 12
_quoted_hebrew = (_hebrew, one_of(("q", _X), ("Q", _X, _hebrew)))  # WB7a-c
_katakanas = (_katakana, Many((Many(_underscore), _katakana)))  # WB13
_part = one_of(_katakanas, some(one_of(_quoted_hebrew, _digits, _letters)))  # WB9, 10
_word = (Many(_underscore), _part, Many((some(_underscore), _part)), Many(_underscore))  # WB13a-b

_picture = ("Ea", _x)
_modified = (one_of((), (Many("z"), _picture)), "e", _x)
_emoji = one_of((Many("z"), _picture, one_of((), "P")), _modified)
_emoji_sequence = (_emoji, one_of(Many(("z", _emoji)), (some("t"), "T")))
_keycap = ("#d", _x, one_of((), "P"), "k", _x)
_flag = ("F", _X, "F", _X)

_south_east_asian = some(("Ss", _X))
_ideograph = ("J", _X)
_hiragana = ("R", _X)

TOKEN = one_of(_word, _south_east_asian, _ideograph, _hiragana, _emoji_sequence, _keycap, _flag)
"""Pattern of a token."""

_ASCII = re.compile(  # the word rules for ASCII texts in lower case
    r"(?<!_)_*+[a-z0-9]++"
    r"(?:_++[a-z0-9]++|(?<=[a-z])[.':][a-z][a-z0-9]*+|(?<=[0-9])[.',;][0-9][a-z0-9]*+){0,255}_*+"
)  # no possessive group: Python 3.11.0 to 3.11.4 forgets the last character before one


@cache
def token_automaton() -> Automaton:
    """Return the automaton of `TOKEN` over the codes of `word_classes.CLASSES`."""
    return compile_pattern(TOKEN, "".join(CLASSES))


class StandardAnalyzer:
    """Finds the words, numbers, ideographs and emoji in a text, in lower case, as Lucene does.

    A token longer than 255 UTF-16 units is cut after 255 units, and the rest begins a new token.
    """

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text in order, including repeats."""
        if text.isascii():
            found = _ASCII.findall(text.lower())
            if max(map(len, found), default=0) <= MAX_TOKEN:
                return found
        lower = lower_case()
        return [text[start:end].translate(lower) for start, end in spans(text)]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each token in a text, using only the automaton."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes = class_table()[points].tobytes()
    units = (1 + (points > 0xFFFF)).astype(np.uint8).tobytes()
    start = 0
    while start < len(codes):
        end = _longest(codes, units, start)
        if end > start:
            yield start, end
        start = max(end, start + 1)


def _longest(codes: bytes, units: bytes, start: int) -> int:
    """Return the end of the longest token that begins at `start`, or `start` if there is none."""
    step, accepting = _walkable()
    state, end, room = START, start, MAX_TOKEN
    for at in range(start, len(codes)):
        state = step[state][codes[at]]
        room -= units[at]
        if state == DEAD or room < 0:
            break
        if accepting[state]:
            end = at + 1
    return end


@cache
def _walkable() -> tuple[list[bytes], list[bool]]:
    automaton = token_automaton()
    return [row.tobytes() for row in automaton.step], automaton.accepting.tolist()
