"""Tokenisation of many texts at once into term numbers, for building an index.

The tokens equal those of `StandardAnalyzer`. Short ASCII words that are already known are looked up
in a table by their bytes. All other tokens are found by the automaton of the word rules. The code
releases the GIL, so threads may tokenise different batches in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.automaton import DEAD, START
from argsearch.indexer.analysis.standard import MAX_TOKEN, token_automaton
from argsearch.indexer.analysis.word_classes import CODE_POINTS, class_table, lower_case
from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.hashing import look_up, salts, scattered

ROOM = 1024
"""Number of bytes sufficient for any token: 255 UTF-16 units of three bytes each."""
SHORT_TERM = 7
"""Maximum length, in bytes, of a term whose bytes are its key."""
HASH_BIT = np.uint64(1 << 63)
"""Bit that is set only in the keys of longer terms."""

FOLD = 0
"""Row of `Rules.bytes`: an ASCII letter (lower-cased) or digit, or 0 for any other byte."""
BEGINS = 1
"""Row of `Rules.bytes`: 1 for a byte that can begin a token but is not an ASCII letter or digit."""
AFTER = 2
"""Row of `Rules.bytes`: effect of a byte that follows ASCII letters and digits.
ENDS: the token ends. MAY_GO_ON: it goes on if a letter or digit follows. ASK: ask the automaton."""
ENDS, MAY_GO_ON, ASK = range(3)


class Rules(NamedTuple):
    """The word rules as tables."""

    bytes: Any
    """uint8[3, 256], rows FOLD, BEGINS and AFTER."""
    classes: Any
    """uint8[0x110000]: class of each code point."""
    lower: Any
    """int32[0x110000]: lower case of each code point."""
    step: Any
    """uint8[states, classes]."""
    accepting: Any
    """bool[states]."""


class TermTable(NamedTuple):
    """Distinct terms in a table for `argsearch.ranking.hashing.look_up`."""

    keys: Any
    """uint64[2^b]: the key of a term; 0: free."""
    numbers: Any
    """int32[2^b]: the number of the term whose key is in that slot."""
    starts: Any
    """int64[terms + 1, with spare room]: start of each term in `blob`."""
    blob: Any
    """uint8[bytes, with spare room]: the terms, concatenated."""
    scratch: Any
    """uint8[ROOM]: the current term."""
    salt: Any
    """uint64[3]: determines the slot where the search for a term begins (`ranking.hashing`)."""


class Cursor(NamedTuple):
    """Position at which `scan` stopped because the vocabulary was full."""

    text: int
    at: int
    tokens: int
    terms: int


@kernel
def _decode(data, at):  # type: ignore[no-untyped-def]
    """Return the code point at a position in valid UTF-8, and the position of the next one."""
    lead = np.int64(data[at])
    if lead < 0x80:
        return lead, at + 1
    second = np.int64(data[at + 1]) & 0x3F
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | second, at + 2
    third = np.int64(data[at + 2]) & 0x3F
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | second << 6 | third, at + 3
    fourth = np.int64(data[at + 3]) & 0x3F
    return (lead & 0x07) << 18 | second << 12 | third << 6 | fourth, at + 4


@kernel
def _encode(point, out, at):  # type: ignore[no-untyped-def]
    """Write a code point as UTF-8; return the position after it."""
    if point < 0x80:
        out[at] = point
        return at + 1
    if point < 0x800:
        out[at] = 0xC0 | point >> 6
        out[at + 1] = 0x80 | point & 0x3F
        return at + 2
    if point < 0x10000:
        out[at] = 0xE0 | point >> 12
        out[at + 1] = 0x80 | point >> 6 & 0x3F
        out[at + 2] = 0x80 | point & 0x3F
        return at + 3
    out[at] = 0xF0 | point >> 18
    out[at + 1] = 0x80 | point >> 12 & 0x3F
    out[at + 2] = 0x80 | point >> 6 & 0x3F
    out[at + 3] = 0x80 | point & 0x3F
    return at + 4


@kernel
def _longest(data, start, end, rules):  # type: ignore[no-untyped-def]
    """Return the end of the longest token that begins at `start`, or `start` if there is none."""
    state, found, room, at = np.int64(START), start, MAX_TOKEN, start
    while at < end:
        point, at = _decode(data, at)
        state = np.int64(rules.step[state, rules.classes[point]])
        room -= 2 if point > 0xFFFF else 1
        if state == DEAD or room < 0:
            break
        if rules.accepting[state]:
            found = at
    return found


@kernel
def _lower(data, start, end, rules, out):  # type: ignore[no-untyped-def]
    """Write a token in lower case; return its size in bytes."""
    size, at = 0, start
    while at < end:
        point, at = _decode(data, at)
        size = _encode(rules.lower[point], out, size)
    return size


@inlined
def _slot(key, keys, salt):  # type: ignore[no-untyped-def]
    """Return the slot of a key, or the free slot where it belongs."""
    return look_up(key, scattered(key, salt) >> np.uint64(32), keys)


@kernel
def _short_words(data, span, table, known, ids, count):  # type: ignore[no-untyped-def]
    """Look up tokens while they are known ASCII words of at most SHORT_TERM bytes.

    span: (at, end); known: (keys, numbers, salt). Returns the start of the first token that is not
    such a word (or the end), and the number of tokens so far.
    """
    (at, end), (keys, numbers, salt) = span, known
    while at < end:
        byte = table[FOLD, data[at]]
        if byte == 0:
            if table[BEGINS, data[at]]:
                return at, count
            at += 1
            continue
        start, key = at, np.uint64(0)
        while byte != 0 and at - start <= SHORT_TERM:
            key = key << np.uint64(8) | np.uint64(byte)
            at += 1
            byte = table[FOLD, data[at]] if at < end else 0
        if at - start > SHORT_TERM or (at < end and _goes_on(data, at, end, table)):
            return start, count
        slot = _slot(key, keys, salt)
        if keys[slot] == 0:
            return start, count
        ids[count] = numbers[slot]
        count += 1
    return at, count


@inlined
def _goes_on(data, at, end, table):  # type: ignore[no-untyped-def]
    """Return whether the byte at `at`, after ASCII letters and digits, may extend the token."""
    kind = table[AFTER, data[at]]
    if kind != MAY_GO_ON:
        return kind == ASK
    return at + 1 < end and (data[at + 1] >= 0x80 or table[FOLD, data[at + 1]] != 0)


@kernel
def _key(term, size, salt):  # type: ignore[no-untyped-def]
    """Return a term's nonzero key: a short term's bytes, or a hash with the highest bit set."""
    key = np.uint64(0)
    if size <= SHORT_TERM:
        for i in range(size):
            key = key << np.uint64(8) | np.uint64(term[i])
        return key
    for i in range(size):
        key = scattered(key ^ np.uint64(term[i]), salt)
        key ^= key >> np.uint64(32)
    return key | HASH_BIT


@kernel
def _number(vocabulary, size, terms):  # type: ignore[no-untyped-def]
    """Return the current term's number; add a new term as number `terms`."""
    keys, numbers, starts, blob, term, salt = vocabulary
    key = _key(term, size, salt)
    slot = _slot(key, keys, salt)
    while keys[slot] != 0:
        known = np.int64(numbers[slot])
        if size <= SHORT_TERM or _same(blob, starts[known], starts[known + 1], term, size):
            return known
        # Another long term has this key (probability 2⁻⁶³ per pair): try the next key.
        key = scattered(key, salt) | HASH_BIT
        slot = _slot(key, keys, salt)
    keys[slot], numbers[slot] = key, terms
    start = starts[terms]
    for i in range(size):
        blob[start + i] = term[i]
    starts[terms + 1] = start + size
    return terms


@kernel
def _same(blob, start, stop, term, size):  # type: ignore[no-untyped-def]
    if stop - start != size:
        return False
    same = True
    for i in range(size):
        same &= blob[start + i] == term[i]
    return same


@kernel
def _any_token(data, start, end, rules, out):  # type: ignore[no-untyped-def]
    """Write the token at `start` in lower case; return its end and its size, 0 if there is none."""
    stop = _longest(data, start, end, rules)
    if stop == start:
        return _decode(data, start)[1], 0
    return stop, _lower(data, start, stop, rules, out)


@kernel
def scan(texts, rules, vocabulary, out, cursor):  # type: ignore[no-untyped-def]
    """Write the term numbers of the tokens from `cursor` on, until the vocabulary is full.

    texts: (uint8 data, int64[n + 1] bounds); out: (int32 ids, int64[n + 1] offsets). Returns the
    new cursor (text, byte, tokens, terms); when its text reaches n, all texts are done.
    """
    (data, bounds), (ids, offsets) = texts, out
    table = rules.bytes
    keys, numbers, starts, blob, term, salt = vocabulary
    known = (keys, numbers, salt)
    text, at, count, terms = cursor
    room = min(keys.size // 2, starts.size - 1)
    while text < bounds.size - 1:
        end = bounds[text + 1]
        while at < end:
            at, count = _short_words(data, (at, end), table, known, ids, count)
            if at == end:
                break
            if terms == room or starts[terms] + ROOM > blob.size:
                return text, at, count, terms
            at, size = _any_token(data, at, end, rules, term)
            if size > 0:
                ids[count] = _number(vocabulary, size, terms)
                terms += ids[count] == terms
                count += 1
        text += 1
        offsets[text] = count
    return text, at, count, terms


@kernel
def rehash(old, new):  # type: ignore[no-untyped-def]
    """Copy the slots of a vocabulary into a larger, empty vocabulary."""
    for i in range(old.keys.size):
        if old.keys[i] != 0:
            slot = _slot(old.keys[i], new.keys, new.salt)
            new.keys[slot], new.numbers[slot] = old.keys[i], old.numbers[i]


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """The tokens of n texts, given as numbers of distinct terms."""

    terms: list[bytes]
    """Distinct terms (UTF-8), in order of first occurrence."""
    ids: NDArray[np.int32]
    """int32[tokens]: the term of every token, text after text."""
    offsets: NDArray[np.int64]
    """int64[n + 1]: text i has the tokens ids[offsets[i]:offsets[i + 1]]."""


def tokenize(texts: Sequence[str], salt: NDArray[np.uint64] | None = None) -> TokenBatch:
    """Return the tokens of each text, equal to `StandardAnalyzer().tokens(text)`.

    salt: determines the layout of the table of terms; None: the salt of this process. Memory: 5
    bytes of working space per byte of text, besides the result. The first call in a process loads
    the compiled kernels; if they are not cached, it compiles them, which takes seconds.
    """
    vocabulary, cursor, (ids, offsets) = numbered(texts, salts() if salt is None else salt)
    return TokenBatch(_terms(vocabulary, cursor.terms), ids[: cursor.tokens].copy(), offsets)


def numbered(
    texts: Sequence[str], salt: NDArray[np.uint64]
) -> tuple[TermTable, Cursor, tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """Return the table of terms, the end of the scan, and all token numbers with text offsets."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    bounds = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=bounds[1:])
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    # A token has at least one byte, so this is enough for the worst case.
    ids = np.empty(len(data), dtype=np.int32)
    out = (ids, np.zeros(len(bounds), dtype=np.int64))
    vocabulary, cursor = _empty_vocabulary(1 << 15, salt), Cursor(0, 0, 0, 0)
    while True:
        cursor = Cursor(*scan((data, bounds), _rules(), vocabulary, out, cursor))
        if cursor.text == len(encoded):
            return vocabulary, cursor, out
        vocabulary = _grown(vocabulary, cursor.terms)


def _empty_vocabulary(slots: int, salt: NDArray[np.uint64]) -> TermTable:
    return TermTable(
        keys=np.zeros(slots, dtype=np.uint64),
        numbers=np.empty(slots, dtype=np.int32),
        starts=np.zeros(slots // 2 + 1, dtype=np.int64),
        blob=np.empty(slots * 4 + ROOM, dtype=np.uint8),
        scratch=np.empty(ROOM, dtype=np.uint8),
        salt=salt,
    )


def _grown(old: TermTable, terms: int) -> TermTable:
    new = _empty_vocabulary(2 * len(old.keys), old.salt)
    used = old.starts[terms]
    blob = new.blob if len(new.blob) >= used + ROOM else np.empty(2 * used + ROOM, np.uint8)
    new = new._replace(blob=blob)
    new.starts[: terms + 1] = old.starts[: terms + 1]
    new.blob[:used] = old.blob[:used]
    rehash(old, new)
    return new


def _terms(vocabulary: TermTable, count: int) -> list[bytes]:
    starts = vocabulary.starts[: count + 1].tolist()
    blob = vocabulary.blob[: starts[-1]].tobytes()
    return [blob[start:end] for start, end in pairwise(starts)]


@cache
def _rules() -> Rules:
    automaton = token_automaton()
    lower = np.arange(CODE_POINTS, dtype=np.int32)
    changed = lower_case()
    lower[list(changed)] = list(changed.values())
    return Rules(_byte_table(), class_table(), lower, automaton.step, automaton.accepting)


def _byte_table() -> NDArray[np.uint8]:
    table = np.zeros((3, 256), dtype=np.uint8)
    words = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)
    table[FOLD, words] = words
    table[FOLD, ord("A") : ord("Z") + 1] = table[FOLD, ord("a") : ord("z") + 1]
    table[AFTER, list(b".,;:'")] = MAY_GO_ON
    table[AFTER, list(b"_")] = table[AFTER, 0x80:] = ASK
    table[BEGINS, list(b"_#*")] = table[BEGINS, 0x80:] = 1
    return table
