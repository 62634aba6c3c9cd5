"""Character classes for word breaking, as in Lucene's standard tokenizer.

Lucene 10's tokenizer uses Unicode 12.1, and the properties in another version (such as Python's)
would differ. The file `word_classes.txt` lists all code points that can be part of a token, as
lines `FIRST..LAST CLASS`. The tests compare the file with Lucene for all code points.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CODE_POINTS = 0x110000

CLASSES = {
    "o": "other: never part of a token",
    "A": "letter (UAX #29 ALetter)",
    "a": "letter that is also an emoji",
    "H": "Hebrew letter",
    "N": "digit (Numeric)",
    "d": "ASCII digit: a digit that can carry a keycap",
    "K": "Katakana",
    "R": "Hiragana",
    "J": "Han ideograph",
    "S": "letter of a South East Asian script (line break Complex_Context)",
    "s": "mark of a South East Asian script",
    "M": "MidLetter",
    "m": "MidNum",
    "b": "MidNumLet: between letters or digits",
    "q": "single quote",
    "Q": "double quote",
    "_": "ExtendNumLet: underscores",
    "x": "Extend or Format: marks, joiners, soft hyphen",
    "z": "zero width joiner",
    "p": "text presentation selector",
    "P": "emoji presentation selector",
    "k": "enclosing keycap",
    "t": "tag",
    "T": "end of tags",
    "#": "# or *: can carry a keycap",
    "F": "regional indicator: half a flag",
    "E": "emoji",
    "e": "emoji modifier: skin tone",
}
"""Letter and meaning of each class, in the order of the codes 0, 1, 2, …"""

CASED = frozenset("Aa")
"""Classes of characters that can have a lower-case form."""


@cache
def ranges() -> list[tuple[int, int, str]]:
    """Return each run of code points in tokens as (first, last, class letter), ascending."""
    text = Path(__file__).with_name("word_classes.txt").read_text(encoding="ascii")
    rows = (line.replace("..", " ").split(" ") for line in text.splitlines())
    return [(int(first, 16), int(last, 16), letter) for first, last, letter in rows]


@cache
def class_table() -> NDArray[np.uint8]:
    """Return the class code of each code point, as a read-only uint8[0x110000]."""
    codes = {letter: code for code, letter in enumerate(CLASSES)}
    table = np.zeros(CODE_POINTS, dtype=np.uint8)
    for first, last, letter in ranges():
        table[first : last + 1] = codes[letter]
    table.flags.writeable = False
    return table


@cache
def lower_case() -> dict[int, int]:
    """Return the lower-case form, one code point, of each code point that differs from it.

    Each character is mapped without its context, as in Java's Character.toLowerCase. Σ always
    becomes σ, and İ becomes i without the dot above that Python adds.
    """
    cased = [span for span in ranges() if span[2] in CASED]
    letters = (chr(c) for first, last, _ in cased for c in range(first, last + 1))
    return {ord(c): ord(c.lower()[0]) for c in letters if c.lower() != c}
