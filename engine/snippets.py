"""Snippets: the best sentence of a premise for a query, with the query's words marked."""

from __future__ import annotations

import math
import string
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from engine.backends.base import Backend
from indexer.analysis import StandardAnalyzer
from indexer.analysis.word_classes import lower_case

READ = 100_000
"""Characters of an argument's premises that are looked at; the rest of longer ones is not."""
WIDTH = 320
"""Characters of a snippet, at most; a longer sentence is cut around its marks."""
COMMON = 1e-3
"""a of `word_weights`: a word of that probability weighs a half."""
LEAST, LEAST_SHORT = 0.05, 0.15
"""The least weight of a word that is looked for and marked; of one of up to SHORT letters."""
SHORT = 3
"""Letters of the words that are mostly articles, prepositions and the like."""
REMEMBERED = 1024
"""Texts whose sentences are remembered: the same arguments come back page after page, and with
every change of the weights."""
LONG = 20_000
"""Characters of the longest text that is remembered."""
MANY = 64
"""Words of a query from which on whole texts are analyzed."""
ELLIPSIS = "…"

_PARTING = frozenset(" !?()[]{}/-<>=+&%$@|~^`\\")
"""Signs beside which a token always begins or ends."""
_CLOSING = frozenset(".,;:'")
"""Signs that join letters or digits; before a parting sign they end a word of ASCII (to a Hebrew
letter a quote belongs even there)."""
_JOINING = frozenset(string.ascii_letters + string.digits + "_")
"""Signs beside which a letter or digit goes on as the same token."""

Span = tuple[int, int]
"""Begin and end (exclusive) of a word, in Unicode code points."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A sentence and where the query's words are in it."""

    text: str
    marks: tuple[Span, ...] = ()

    def parts(self) -> Iterator[tuple[str, bool]]:
        """The text in pieces, each with whether it is a query word."""
        at = 0
        for begin, end in self.marks:
            if begin > at:
                yield self.text[at:begin], False
            yield self.text[begin:end], True
            at = end
        if at < len(self.text):
            yield self.text[at:], False


@lru_cache(maxsize=1)
def _analyzer() -> StandardAnalyzer:
    return StandardAnalyzer()


def word_weights(query: str, backend: Backend) -> dict[str, float]:
    """The query's distinct words, each with its rarity a / (a + P(t)), in (0, 1].

    P(t) is the share of the collection's tokens that are the word: words such as "should" weigh
    next to nothing, however many there are (smooth inverse frequency, Arora et al. 2017); words
    below LEAST ("the", "is", "be") are left out where there are others. A search server is not
    asked for frequencies: there, words of up to SHORT letters weigh less than the others.
    """
    words = list(dict.fromkeys(_analyzer().tokens(query)))
    found = backend.frequencies(words)
    if found is None:
        return {word: 0.25 if len(word) <= SHORT else 1.0 for word in words}
    weights = {
        word: COMMON / (COMMON + count / max(1, found.tokens))
        for word, count in zip(words, found.terms, strict=True)
    }
    telling = {
        word: weight
        for word, weight in weights.items()
        if weight >= (LEAST_SHORT if len(word) <= SHORT else LEAST)
    }
    return telling or weights


def word_spans(text: str) -> Iterator[tuple[str, Span]]:
    """The analyzer's tokens of a text, each with its place in it."""
    lowered = _lowered(text)
    at = 0
    for token in _analyzer().tokens(text):
        begin = lowered.find(token, at)
        if begin >= 0:
            at = begin + len(token)
            yield token, (begin, at)


def _lowered(text: str) -> str:
    """Lower case letter by letter, as Lucene: as long as the text itself.

    Python's own way, ten times faster, differs at İ, which becomes two characters, at Σ, which
    looks at its neighbours, and at capitals younger than Lucene's Unicode, which no token has.
    """
    return text.translate(lower_case()) if "İ" in text or "Σ" in text else text.lower()


def find_words(text: str, words: Mapping[str, float]) -> list[tuple[str, Span]]:
    """The tokens of a text that are among `words`, each with its place, in order.

    The same as filtering `word_spans`, but for the ends of words longer than a token can be. Few
    words are looked for as substrings first. What stands free, or within a longer word, is told
    from its neighbours; else what stands between spaces around it is analyzed: no token reaches
    across a space.
    """
    if len(words) > MANY:
        return [(word, span) for word, span in word_spans(text) if word in words]
    flat = f"  {_lowered(text)}  ".replace("\n", " ").replace("\t", " ").replace("\r", " ")
    found: set[tuple[Span, str]] = set()
    for word in words:
        plain = word.isascii() and word.isalnum()
        at = flat.find(word)
        while at >= 0:
            end = at + len(word)
            before, after = flat[at - 1], flat[end]
            within = plain and (before in _JOINING or after in _JOINING)
            ends = after in _PARTING or (plain and after in _CLOSING and flat[end + 1] in _PARTING)
            if ends and before in _PARTING:
                found.add(((at - 2, end - 2), word))
            elif not within:
                end = flat.find(" ", end)
                found.update(_in_chunk(text, flat.rfind(" ", 0, at) - 1, end - 2, words))
            at = flat.find(word, end)
    return [(word, span) for span, word in sorted(found)]


def _in_chunk(
    text: str, begin: int, end: int, words: Mapping[str, float]
) -> Iterator[tuple[Span, str]]:
    for word, (first, last) in _spans(text[begin:end]):
        if word in words:
            yield (begin + first, begin + last), word


@lru_cache(maxsize=8192)
def _chunk_spans(chunk: str) -> tuple[tuple[str, Span], ...]:
    return tuple(word_spans(chunk))


def _spans(chunk: str) -> tuple[tuple[str, Span], ...]:
    return _chunk_spans(chunk) if len(chunk) <= WIDTH else tuple(word_spans(chunk))


def mark(text: str, words: Mapping[str, float]) -> Snippet:
    """The text with the places of `words` in it."""
    return Snippet(text, tuple(span for _, span in find_words(text, words)))


def sentences(text: str) -> Iterator[Span]:
    """Where each sentence of a text begins and ends, without the white space around it."""
    pieces = _pieces(text)
    for begin, end in zip((0, *pieces), pieces, strict=False):
        if (span := _stripped(text, begin, end))[0] < span[1]:
            yield span


def _pieces(text: str) -> tuple[int, ...]:
    """Where the sentences of a text end, the white space after them included."""
    return _remembered(text) if len(text) <= LONG else _segmented(text)


def _segmented(text: str) -> tuple[int, ...]:
    import sentencex

    return tuple(accumulate(map(len, sentencex.segment("en", text))))


_remembered = lru_cache(REMEMBERED)(_segmented)


def _stripped(text: str, begin: int, end: int) -> Span:
    piece = text[begin:end]
    begin += len(piece) - len(piece.lstrip())
    return begin, begin + len(piece.strip())


def best_sentence(text: str, words: Mapping[str, float], width: int = WIDTH) -> Snippet:
    """The sentence of `text` with the most of the query's rare words, marked.

    A sentence's value is the sum of its distinct query words' weights; of equals, the shortest
    sentence, then the first, is taken. Without any query word it is the first sentence. More than
    `width` characters are cut to a window around the marks.
    """
    return best_of((text,), words, width)


def best_of(texts: Iterable[str], words: Mapping[str, float], width: int = WIDTH) -> Snippet:
    """The best sentence of several texts, as `best_sentence`; none reaches from one into the next.

    Of all texts together the first READ characters are looked at.
    """
    best = _Choice("")
    left = READ
    for text in texts:
        choice = _choose(text[:left], words)
        best = max(best, choice, key=lambda one: one.value)
        left -= min(left, len(text))
        if not left:
            break
    found = [(word, place) for word, place in best.found if _within(place, best.span)]
    return _cut(best.text, best.span, found, words, width)


@dataclass(frozen=True, slots=True)
class _Choice:
    """The best sentence of one text, its value, and all query words of the text."""

    text: str
    span: Span = (0, 0)
    value: tuple[float, int] = (-1.0, 0)
    found: Sequence[tuple[str, Span]] = ()


def _choose(text: str, words: Mapping[str, float]) -> _Choice:
    found = find_words(text, words)
    if not found:
        first = next(sentences(text), None)
        return _Choice(text, first, (0.0, 0)) if first else _Choice(text)
    ends = _pieces(text)
    best, best_value = (0, 0), (-1.0, 0)
    for place, present in _present(found, ends):
        weight = math.fsum(map(words.__getitem__, present))
        if weight >= best_value[0]:
            begin, end = _stripped(text, ends[place - 1] if place else 0, ends[place])
            if (weight, begin - end) > best_value:
                best, best_value = (begin, end), (weight, begin - end)
    return _Choice(text, best, best_value, found)


def _present(
    found: Sequence[tuple[str, Span]], ends: Sequence[int]
) -> Iterator[tuple[int, set[str]]]:
    """Each sentence with query words, by its number, and its distinct ones (whole in it)."""
    place, stop = -1, 0
    present: set[str] = set()
    for word, (begin, end) in found:
        if begin >= stop:
            if present:
                yield place, present
            place = bisect_right(ends, begin, place + 1)
            stop, present = ends[place], set()
        if end <= stop:
            present.add(word)
    if present:
        yield place, present


def _within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _cut(
    text: str,
    sentence: Span,
    found: Sequence[tuple[str, Span]],
    words: Mapping[str, float],
    width: int,
) -> Snippet:
    """The sentence, or the window of at most `width` characters with its best query words."""
    begin, end = sentence
    if end - begin > width:
        begin, end = _window(text, sentence, _densest(found, words, begin, width), width)
    head = ELLIPSIS if begin > sentence[0] else ""
    tail = ELLIPSIS if end < sentence[1] else ""
    shift = len(head) - begin
    marks = tuple((a + shift, b + shift) for _, (a, b) in found if begin <= a and b <= end)
    return Snippet(head + text[begin:end] + tail, marks)


def _densest(
    found: Sequence[tuple[str, Span]], words: Mapping[str, float], begin: int, width: int
) -> Span:
    """The stretch of at most `width` characters whose distinct query words weigh the most."""
    inside: Counter[str] = Counter()
    best, best_weight = (begin, begin), 0.0
    first = 0
    for word, (_, stop) in found:
        inside[word] += 1
        while stop - found[first][1][0] > width and found[first][1][1] < stop:
            inside[found[first][0]] -= 1
            first += 1
        weight = math.fsum(words[present] for present, count in inside.items() if count)
        if weight > best_weight:
            best, best_weight = (found[first][1][0], stop), weight
    return best


def _window(text: str, sentence: Span, stretch: Span, width: int) -> Span:
    """`width` characters around a stretch, inside the sentence, cut at spaces if there are any."""
    spare = max(0, width - (stretch[1] - stretch[0]))
    begin = max(sentence[0], min(stretch[0] - spare // 2, sentence[1] - width))
    end = min(sentence[1], begin + width)
    if begin > sentence[0] and (space := text.find(" ", begin, stretch[0])) >= 0:
        begin = space + 1
    if end < sentence[1] and (space := text.rfind(" ", stretch[1], end)) > begin:
        end = space
    return begin, end
