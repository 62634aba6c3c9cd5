"""Count words and signs that distinguish sentences with a point from talk about the debate.

The word lists are in `ranking/lexicons/cues.txt`. In other languages, only SIGNS count.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from argsearch.indexer.analysis.sentences import codes as codes
from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.hashing import FNV_OFFSET, FNV_PRIME, Hashes, fnv, look_up, table_of_sets
from argsearch.ranking.lexicons import lexicon

SIGNS = ("words", "characters", "digits", "question", "quoted", "colon", "unended")
"""Counts that need no word list. The last four signs are flags.

They mark a question, a start inside a quotation or part of a long one, a final colon, and no final
punctuation."""

CUE_CLASSES = tuple(lexicon("cues"))
"""Classes of phrases of one to three words. `anaphora` and `answer` ("But …") count only at the
start of a sentence.

The class `opposed` also counts other people's views: a phrase of `others` followed within REACH
words by one of `saying`, without a speaker in between. A `turn` ("but") resets this count."""
CUE_COLUMNS = (*SIGNS, *CUE_CLASSES)
"""Names of the columns of `count` in order."""

_COLUMN = {name: number for number, name in enumerate(CUE_COLUMNS)}
_WORD_COUNT, _CHARACTERS, _DIGITS, _QUESTION, _QUOTED, _COLON, _UNENDED = range(len(SIGNS))
_LEADING = _COLUMN["anaphora"], _COLUMN["answer"]
_TALK = _COLUMN["talk"]
_OPPOSED = _COLUMN["opposed"]
_OTHERS = np.uint64(_COLUMN["others"])
_SAYING = np.uint64(_COLUMN["saying"])
_SPEAKER = np.uint64(_COLUMN["speaker"])
_TURN = np.uint64(_COLUMN["turn"])
REACH = 8
"""Maximum distance in words from `others` to a verb of `saying`: "people who smoke may say"."""
LONG_QUOTE = 40
"""Number of characters from which a quotation is more than a word or a name."""
LONGEST_QUOTE = 600
"""Number of characters after which an open quotation counts as closed."""


@lru_cache(maxsize=1)
def table() -> tuple[Hashes, Hashes]:
    """Return the table of phrases: hashes of their code points, and the bits of their columns."""
    listed = lexicon("cues")
    sets = ([fnv(map(ord, phrase)) for phrase in listed.get(name, ())] for name in CUE_COLUMNS)
    return table_of_sets(sets, 8192)


@inlined
def _folded(code):  # type: ignore[no-untyped-def]
    """Return a code point in ASCII lower case, and 39 for any apostrophe."""
    if 65 <= code <= 90:
        return code + 32
    return 39 if code in (0x2019, 0x2018, 0x02BC) else code


@inlined
def _is_letter(code):  # type: ignore[no-untyped-def]
    """Return True for ASCII letters and digits, and letters of other scripts."""
    if code < 128:
        return 48 <= code <= 57 or 65 <= code <= 90 or 97 <= code <= 122
    if 0x2000 <= code <= 0x2BFF or 0x3000 <= code <= 0x303F or 0x1F000 <= code <= 0x1FAFF:
        return False
    return code >= 0xC0


@inlined
def _note(row, bits, leading):  # type: ignore[no-untyped-def]
    """Count a phrase in its classes; some classes count only at the beginning of a sentence."""
    for column in range(len(row) if bits else 0):
        if bits >> np.uint64(column) & np.uint64(1):
            row[column] += leading or column not in _LEADING


@inlined
def _follow(row, bits, word, others, speaker):  # type: ignore[no-untyped-def]
    """Count another's view ending at `word`; return the last places of `others` and `speaker`."""
    one = np.uint64(1)
    others = word if bits >> _OTHERS & one else others
    speaker = word if bits >> _SPEAKER & one else speaker
    if bits >> _SAYING & one and 0 < word - others <= REACH and speaker < others:
        row[_OPPOSED] += 1
    if bits >> _TURN & one:
        row[_OPPOSED] = 0
    return others, speaker


@kernel
def _is_speaker(codes, end):  # type: ignore[no-untyped-def]
    """Return True if the word before `end` names a side, as in "Pro says" or "CON's case"."""
    if end < 3 or (end > 3 and _is_letter(codes[end - 4])):
        return False
    first, second, third = codes[end - 3], _folded(codes[end - 2]), _folded(codes[end - 1])
    pro, con = first == 80 and second == 114, first == 67 and second == 111
    if not ((pro and third == 111) or (con and third == 110)):
        return False
    if end + 1 >= len(codes):
        return True
    return codes[end] in (32, 44) and 97 <= codes[end + 1] <= 122


@kernel
def _phrases(codes, keys, classes, row):  # type: ignore[no-untyped-def]
    """Count the words of a sentence and, by class, its phrases of one to three words."""
    one, two, three = FNV_OFFSET, FNV_OFFSET, FNV_OFFSET
    words, inside, others, speaker = 0, False, -REACH - 1, -REACH - 1
    for i in range(len(codes) + 1):
        sign = _folded(codes[i]) if i < len(codes) else np.uint32(32)
        joins = sign == 39 and inside and i + 1 < len(codes) and _is_letter(codes[i + 1])
        if joins or _is_letter(sign):
            if not inside:
                space = np.uint64(32)
                three = (two ^ space) * FNV_PRIME
                two = (one ^ space) * FNV_PRIME
                one, inside = FNV_OFFSET, True
            sign = np.uint64(sign)
            one, two, three = (
                (one ^ sign) * FNV_PRIME,
                (two ^ sign) * FNV_PRIME,
                (three ^ sign) * FNV_PRIME,
            )
        elif inside:
            inside = False
            if codes[i - 1] in (110, 111, 78, 79):
                row[_TALK] += _is_speaker(codes, i)
            bits = classes[look_up(one, one, keys)]
            _note(row, bits, words == 0)
            if words > 0:
                pair = classes[look_up(two, two, keys)]
                _note(row, pair, words == 1)
                bits |= pair
            if words > 1:
                triple = classes[look_up(three, three, keys)]
                _note(row, triple, words == 2)
                bits |= triple
            if bits:
                others, speaker = _follow(row, bits, words, others, speaker)
            words += 1
    row[_WORD_COUNT] = words


@kernel
def _signs(codes, row):  # type: ignore[no-untyped-def]
    """Count the characters and digits of a sentence, and set the flags for its end."""
    row[_CHARACTERS] = len(codes)
    for code in codes:
        row[_DIGITS] += 48 <= code <= 57
    row[_UNENDED] = _is_letter(codes[-1])
    last = len(codes) - 1
    while last > 0 and codes[last] in (34, 39, 41, 93, 0x201D, 0x2019, 0xBB):
        last -= 1
    # References end titles with a full stop: "Should we ban cell phones in school?."
    last -= last > 0 and codes[last] == 46 and codes[last - 1] == 63
    row[_QUESTION] = codes[last] in (63, 0xFF1F, 0x61F)
    row[_COLON] = codes[last] == 58


@inlined
def _is_quote(code):  # type: ignore[no-untyped-def]
    """Return True for a code point that opens or closes a quotation."""
    return code in (34, 0x201C, 0x201D, 0x201E, 0xAB, 0xBB)


@kernel
def _quotations(codes, spans, out):  # type: ignore[no-untyped-def]
    """Mark sentences that begin with a quotation mark or contain part of a long quotation.

    A mark between two letters is an apostrophe that the portal garbled. A mark before white space
    closes a quotation.
    """
    opened, at = np.int64(-1), np.int64(0)
    for span in range(len(spans)):
        begin, end = np.int64(spans[span, 0]), np.int64(spans[span, 1])
        for i in range(at, begin):
            if _is_quote(codes[i]):
                opened = _after(codes, i, opened)
        single = codes[begin] in (0x2018, 39)
        inside = opened >= 0 and begin - opened < LONGEST_QUOTE
        for i in range(begin, end):
            if _is_quote(codes[i]):
                begun, opened = opened, _after(codes, i, opened)
                inside |= opened < 0 <= begun and LONG_QUOTE < i - begun < LONGEST_QUOTE
        inside |= opened >= begin and end - opened > LONG_QUOTE
        out[span, _QUOTED] = inside or single or _is_quote(codes[begin])
        at = end


@kernel
def _after(codes, i, opened):  # type: ignore[no-untyped-def]
    """Return the start of the quotation still open after the mark at `i`, or −1."""
    before = i > 0 and codes[i - 1] > 32
    follows = i + 1 < len(codes) and codes[i + 1] > 32
    if before and follows and _is_letter(codes[i - 1]) and _is_letter(codes[i + 1]):
        return opened
    if before and (not follows or opened >= 0):
        return -1
    return i if follows else -1


@kernel
def count(codes, spans, keys, classes):  # type: ignore[no-untyped-def]
    """Return each sentence's counts, int32[n, len(CUE_COLUMNS)]. spans: int32[n, 2], n > 0."""
    out = np.zeros((len(spans), len(CUE_COLUMNS)), np.int32)
    for span in range(len(spans)):
        begin, end = np.int64(spans[span, 0]), np.int64(spans[span, 1])
        _signs(codes[begin:end], out[span])
        _phrases(codes[begin:end], keys, classes, out[span])
    _quotations(codes, spans, out)
    return out
