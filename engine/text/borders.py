"""Find sentences in texts that lost their line breaks, and trim labels and references off them.

Debate portals join headings, list items and quotations to the words that follow ("ConclusionFor").
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel

Spans = NDArray[np.int32]
_OPENERS = (
    "The|This|These|Those|There|They|Their|That|It|Its|We|Our|He|She|His|Her|You|Your|My|In|If|As|At"
    "|An?|I|For|From|On|Of|To|By|With|When|While|Since|Because|Although|However|But|And|So|Not|No"
    "|Yes|Some|Many|Most|All|Every|First|Second|Third|One|Another|What|Why|How|People|Pro|Con|Round"
)
"""Words that begin a sentence, and hardly ever the second half of a name such as "PolitiFact"."""
_LABELS = (
    "argument|point|contention|premise|claim|conclusion|introduction|intro|overview|summary|preface"
    "|rebuttal|refutation|response|counter|impact|warrant|observation|reason|definition|thesis"
)
_HERE = "\x1f"
"""Character that marks a possible border between sentences in _BORDER."""
_BORDER = re.compile(
    rf"(?<!Lin(?=ked))(?<!\bM(?=ove))(?<!\bW(?=iki))(?<!Capi(?=tal))[a-z]{{3}}{_HERE}(?:{_OPENERS})\b"
    rf"|(?<![A-Za-z])[a-z]{{4,}}{_HERE}[A-Z][a-z]"  # "a deterrentCorporal punishment"
    rf"|\b(?i:{_LABELS})s?{_HERE}[A-Z]"  # "ConclusionRaising the wage"
    rf"|[A-Z][a-z]{{3,}} (?:(?:in|of) )?[A-Z][a-z]{{3,}}{_HERE}[A-Z][a-z]{{2}}"  # "Free Trade"
    rf"|(?:[a-z][.!?][\"”)]?{_HERE}\d{{1,2}}[).]|[a-z)][.)]?{_HERE}\d{{1,2}}\))\s?[A-Z]"  # "1) The"
    rf"|(?:[a-z][)\]\"”]|\[\d{{1,3}}\]){_HERE}[A-Z][a-z]"  # "(Con)Introduction", "[3]It"
    rf"|[.!?][\"”)]?\s?[\[(]\d{{1,3}}[\])]{_HERE}\s+[A-Z]"  # "the child. [1] Second, …"
    rf"|[a-z]{{2}}:{_HERE}[A-Z][a-z]|[a-z]{{3}}[.!?]{_HERE}(?:https?:|www\.)|[a-z]{{3}}[!?]{_HERE}[a-z]"
    rf"|[a-z]{{2}}[.!?]{_HERE}[A-Z][a-z]+\s"  # "by it.Value of"
    rf"|[a-z]{{3}}\.{_HERE}(?!(?:com?|org|net|edu|gov|info|html?)\b)[a-z]{{2,}} "  # "only.first of"
)
_AROUND = 24
"""Number of characters to read before and after a possible border between sentences."""
_HEAD = re.compile(
    r"(?:(?:[\s*=|:;,~_>•·]|#(?![A-Za-z])|[+–—-](?!\d))+"
    r"|#?[(\[]?\d{1,2}[)\].:]+\s*(?=[A-Z\"“(])|\d{1,2}(?=[A-Z][a-z])|[A-Z]\d{1,2}[).:]+\s"
    r"|(?i:(?:(?:first|second|third|final|main|opening|my|pro's|con's)\s)?"
    rf"(?:{_LABELS})s?(?:\s?#?\s?(?:\d{{1,2}}|[ivx]+\b|one\b|two\b|three\b|four\b))?)"
    r"(?:\s?[:.)*=]+\s*(?=\S)|(?:\s[–—-]+\s?|[–—-]+\s)(?=\S)|\s(?=[\"“])))+"
)
"""Signs, numbers and labels at the beginning of a sentence, such as "C1:" or "Rebuttal 2 -"."""
_TAIL = re.compile(
    r"(?<=[.!?\"”)])(?:\s?[\[(]\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*[\])])+$|\s?\(?(?:https?:|www\.)\S*$"
    r"|(?<=[.!?;,\"”)])\s\(?[a-e1-9]\)$"
)
"""The end of a sentence: "[3]" after its full stop, an address, or the next item's "b)"."""
_TAIL_READ = 120
"""Number of characters at the end of a sentence that may be references."""
_FEWEST_LEFT = 20
"""Number of characters that trimming must leave, since a shorter rest is no sentence."""
_FRAGMENT = 3
"""Maximum length in characters of a piece between two borders that is dropped, such as "[1]"."""


def split_further(text: str, codes: NDArray[np.uint32], spans: Spans) -> Spans:
    """Return sentences, int32[n, 2], also split where a heading or list item runs into the next."""
    found = [
        at
        for at in _junctions(codes).tolist()
        if _BORDER.search(f"{text[max(0, at - _AROUND) : at]}{_HERE}{text[at : at + _AROUND]}")
    ]
    if not found:
        return spans
    cuts = np.array(found, np.int32)
    of = np.searchsorted(spans[:, 0], cuts, "left") - 1
    cuts = cuts[(of >= 0) & (cuts < spans[of, 1])]
    out = np.stack([np.sort(np.concatenate([edge, cuts])) for edge in spans.T], axis=1)
    cut = np.isin(out[:, 0], cuts) | np.isin(out[:, 1], cuts)
    whole = ~cut | (out[:, 1] - out[:, 0] > _FRAGMENT)
    return out[whole] if whole.any() else spans


@kernel
def _junctions(codes):  # type: ignore[no-untyped-def]
    """Return the few places where _BORDER can match, int64[m]; the regex is slow."""
    out, found, n = np.empty(len(codes), np.int64), 0, len(codes)
    for at in range(1, n):
        before, sign, after = codes[at - 2], codes[at - 1], codes[at]
        small, stop = 97 <= before <= 122, sign in (33, 46, 63)
        letter, closing = 97 <= sign <= 122, sign in (34, 41, 0x201D)
        numbered = 48 <= before <= 57 and sign in (41, 93)
        if 65 <= after <= 90:
            may = letter or numbered or (small and (stop or closing or sign in (58, 93)))
        elif 48 <= after <= 57:
            point = codes[min(at + 1, n - 1)] in (41, 46) or codes[min(at + 2, n - 1)] in (41, 46)
            may = point and (letter or stop or closing)
        else:
            # A reference between two sentences has a space after it: "the child. [1] Second".
            may = (small and stop and 97 <= after <= 122) or (numbered and after == 32)
        out[found] = at
        found += may
    return out[:found]


def trimmed(text: str, spans: Spans) -> Spans:
    """Return sentences without the label, number and references around them."""
    out = spans.copy()
    for number, (begin, end) in enumerate(spans.tolist()):
        head, last = _HEAD.match(text, begin, end), text[max(begin, end - _TAIL_READ) : end]
        first = head.end() if head else begin
        if last[-1] in ")]" or "http" in last or "www." in last:
            end -= len(last) - len(_TAIL.sub("", last).rstrip())
        if end - first >= _FEWEST_LEFT:
            out[number] = first, end
    return out
