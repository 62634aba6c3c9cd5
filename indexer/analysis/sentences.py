"""Splits any text into sentences, and further splits run-on sentences for gists."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import sentencex
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel

RUN_ON = 160
"""Minimum length, in characters, of a sentence that is split further. Segmentation misses the ends
of sentences in numbered lists and in brackets."""

SHORTEST_QUOTATION = 20
"""Minimum length, in characters, of a quotation after which a sentence is split."""

BLOCK_CHARACTERS = 1 << 17
"""Maximum number of characters to segment at once; 1.2 million premises have up to 105,982 each."""
MOST_MARKED = 60_000_000
"""Maximum product of marks and characters for passing a block to sentencex unchanged.

For each quotation, sentencex 1.0.32 searches the rest of the block for its end. One of 1.2 million
premises exceeds the limit, with 12,366 marks; the second-largest product is 47,691,900."""
PIECE_CHARACTERS = 1 << 12
"""Length of the pieces of a block above MOST_MARKED, in which commas replace quotation marks."""
_MARKS = "\"'`«»‘’‚“”‛„‟‹›《》「」"
_SPACES = re.compile(r"(?<=[^\W\d_])\s+(?=\.)")
"""White space between a letter and a full stop. sentencex 1.0.32 panics if it is not ASCII."""
_PLAIN = str.maketrans(dict.fromkeys(_MARKS, ",") | {"!": "?"})


def codes(text: str) -> NDArray[np.uint32]:
    """Return a text's code points, uint32[len(text)]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def segment(text: str) -> NDArray[np.int64]:
    """Return where each sentence begins and ends, without white space around it, int64[n, 2]."""
    found, start = list[tuple[int, int]](), 0
    for block in _blocks(text):
        read, at = block if block.isascii() else _SPACES.sub(_in_ascii, block), 0
        for piece in sentencex.segment("en", read):
            # sentencex 1.0.32 omits some ends of paragraphs, about one in 10,000 characters.
            at = read.index(piece, at)
            begin, at = start + at + len(piece) - len(piece.lstrip()), at + len(piece)
            if body := piece.strip():
                found.append((begin, begin + len(body)))
        start += len(block)
    return np.array(found, np.int64).reshape(-1, 2)


def _in_ascii(spaces: re.Match[str]) -> str:
    return spaces[0] if spaces[0].isascii() else " " * len(spaces[0])


def _blocks(text: str) -> Iterator[str]:
    """Yield the text in blocks that sentencex segments in bounded time."""
    at = 0
    while at < len(text):
        end = at + BLOCK_CHARACTERS
        if end < len(text):
            # A cut at the end of a paragraph loses nothing, a cut between words loses little.
            cut = text.rfind("\n\n", at, end)
            cut = cut if cut > at else text.rfind(" ", at, end)
            end = cut + 1 if cut > at else end
        block, at = text[at:end], end
        marks = len(block)
        if marks * len(block) > MOST_MARKED:
            # Ends of sentences cost about 1/64 as much time as quotation marks.
            marks = sum(map(block.count, "!" + _MARKS)) + sum(map(block.count, ".?")) // 64
        if marks * len(block) <= MOST_MARKED:
            yield block
        else:
            plain = block.translate(_PLAIN)
            yield from (
                plain[i : i + PIECE_CHARACTERS] for i in range(0, len(plain), PIECE_CHARACTERS)
            )


@inlined
def _is_small(code):  # type: ignore[no-untyped-def]
    return 97 <= code <= 122 or 0xDF <= code <= 0x24F


@inlined
def _is_capital(code):  # type: ignore[no-untyped-def]
    return 65 <= code <= 90 or 0xC0 <= code <= 0xDE


@inlined
def _is_space(code):  # type: ignore[no-untyped-def]
    return code <= 32 or code in (0xA0, 0x2028, 0x2029, 0x3000)


@kernel
def _ends_word(codes, i):  # type: ignore[no-untyped-def]
    """Return whether a full word, not an abbreviation, precedes character `i`."""
    if i < 3:
        return False
    if codes[i - 1] in (34, 41, 93, 37, 0x201D, 0x2019) or 48 <= codes[i - 1] <= 57:
        return True
    return _is_small(codes[i - 1]) and _is_small(codes[i - 2]) and _is_small(codes[i - 3])


@kernel
def _joins(codes, i, end):  # type: ignore[no-untyped-def]
    """Return whether a heading ends at `i` and runs into a capital letter ("reasonsFirst")."""
    if i < 4 or i + 3 >= end or not _is_capital(codes[i + 1]):
        return False
    for k in range(i - 3, i + 1):
        if not _is_small(codes[k]):
            return False
    return _is_small(codes[i + 2]) and _is_small(codes[i + 3])


@kernel
def _cut_after(codes, begin, i, end):  # type: ignore[no-untyped-def]
    """Return where the next sentence in codes[begin:end] starts if one ends at `i`, else 0."""
    long = end - begin >= RUN_ON
    if codes[i] in (10, 13, 0x2028, 0x2029):
        return i + 1
    if long and _joins(codes, i, end):
        return i + 1
    if long and _closes(codes, begin, i, end):
        return i + 2
    if codes[i] not in (46, 33, 63) or not _ends_word(codes, i):
        return 0
    after = i + 1
    while after < end and codes[after] in (34, 39, 41, 93, 0x201D, 0x2019):
        after += 1
    if after + 1 >= end:
        return 0
    if after == i + 1 and _is_capital(codes[after]):
        word = _is_small(codes[after + 1]) or _is_space(codes[after + 1])
        digit = 48 <= codes[i - 1] <= 57
        return after if word and not digit else 0
    if not long or not _is_space(codes[after]):
        return 0
    while after < end and _is_space(codes[after]):
        after += 1
    opens = after < end and (codes[after] in (34, 40, 91, 0x201C) or _is_capital(codes[after]))
    return after if opens or (after < end and 48 <= codes[after] <= 57) else 0


@kernel
def _closes(codes, begin, i, end):  # type: ignore[no-untyped-def]
    """Return whether character `i` closes a quotation at the start and a reply follows."""
    if codes[begin] not in (34, 0x201C) or codes[i] not in (34, 0x201D):
        return False
    if i - begin < SHORTEST_QUOTATION or i + 2 >= end:
        return False
    return codes[i - 1] > 32 and _is_space(codes[i + 1]) and _is_capital(codes[i + 2])


@kernel
def _after_bracket(codes, begin, end):  # type: ignore[no-untyped-def]
    """Return the end of a leading bracket of numbers or few letters ([48, 49] [iv]), or `begin`."""
    if begin >= end or codes[begin] != 91:
        return begin
    at, letters = begin + 1, 0
    while at < end and at - begin < 16 and codes[at] != 93:
        figure = 48 <= codes[at] <= 57 or codes[at] in (32, 44, 45, 0x2013)
        letters, at = letters + (not figure), at + 1
    return at + 1 if at + 1 < end and codes[at] == 93 and letters <= 3 else begin


@kernel
def _trimmed(codes, begin, end):  # type: ignore[no-untyped-def]
    """Return where a sentence starts after white space and list markers: 1) (a) [12] - • *."""
    while begin < end and (
        _is_space(codes[begin]) or codes[begin] in (42, 45, 0x2022, 0x2013, 0x2014, 0xB7, 126, 62)
    ):
        begin += 1
    after = _after_bracket(codes, begin, end)
    if after > begin:
        return _trimmed(codes, after, end)
    at = begin
    while at < end and at - begin <= 5 and not _is_space(codes[at]):
        at += 1
    if at >= end or at - begin > 5 or at - begin < 2 or codes[at - 1] not in (41, 46, 93, 58):
        return begin
    first = begin + (codes[begin] == 40)
    figures = 48 <= codes[first] <= 57
    roman = codes[at - 1] != 46 and at - 1 - first <= 3 and codes[first] in (105, 118, 120, 73, 86)
    if figures or roman or at - 1 - first == 1:
        return _trimmed(codes, at, end)
    return begin


@kernel
def _ended(codes, begin, end):  # type: ignore[no-untyped-def]
    """Return a sentence's end, before white space and the next point's number (". 2.")."""
    while end > begin and _is_space(codes[end - 1]):
        end -= 1
    at = end - 1 if end > begin and codes[end - 1] in (41, 46) else end
    while at > begin and at > end - 4 and 48 <= codes[at - 1] <= 57:
        at -= 1
    numbered = at < end - 1 and at - 2 > begin and _is_space(codes[at - 1])
    if numbered and codes[at - 2] in (33, 34, 46, 58, 63):
        return _ended(codes, begin, at - 1)
    return end


@inlined
def _may_end(codes, i, end, long):  # type: ignore[no-untyped-def]
    """Return whether a sentence can end at character `i`; most characters fail this quick test."""
    if 64 <= codes[i] < 0x2000:
        return long and i + 1 < end and _is_capital(codes[i + 1])
    return codes[i] in (10, 13, 33, 34, 46, 63) or codes[i] >= 0x2000


@kernel
def segment_further(codes, spans):  # type: ignore[no-untyped-def]
    """Split the sentences `spans`, int32[n, 2], further and trim them; return int32[m, 2].

    Cuts at line ends, and between a full word's stop and a capital directly after it ("case.Pros").
    A run-on sentence (`RUN_ON`) is also cut at stops before a capital, digit, bracket or quotation.
    """
    out = np.empty((len(spans) + len(codes) // 2 + 1, 2), np.int32)
    found = 0
    for n in range(len(spans)):
        # All numbers have the same type, so that each kernel is compiled once.
        begin, end = np.int64(spans[n, 0]), np.int64(spans[n, 1])
        long = end - begin >= RUN_ON
        first, i = begin, begin
        while i < end:
            following = np.int64(0)
            if _may_end(codes, i, end, long):
                following = _cut_after(codes, begin, i, end)
            stop = end if i + 1 == end else following
            if stop:
                last = following if following else i + 1
                head = _trimmed(codes, first, last)
                last = _ended(codes, head, last)
                if last > head:
                    out[found, 0], out[found, 1] = head, last
                    found += 1
                first = following
            i = max(i + 1, following)
    # Copy the result, because callers keep it, and a view would keep the whole buffer.
    return out[:found].copy()
