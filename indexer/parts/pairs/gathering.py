"""Gathers the distinct sentences of conclusions and of premises in a corpus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.batch import tokenize
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.arrays import Strings
from argsearch.indexer.parts.base import Drawer, PartSource, text_digest
from argsearch.indexer.parts.known import PROBE_SIZE, KnownVectors
from argsearch.indexer.parts.pairs.sentences import (
    CONCLUSION,
    PREMISE,
    kind,
    sentences,
    text_of,
)
from argsearch.ranking.vectors import Quantised, SentenceRows, norms, quantise

Ints = NDArray[np.int64]
Found = tuple[list[bytes], dict[str, NDArray[Any]]]
"""The sentences of one side in a run of arguments: texts and arrays.
Texts (of conclusions only) are in order of first occurrence. The arrays are `levels`, `scales` and
`tokens` (see `SentenceRows`), `digests` (uint64[n, 2]), `kinds` (of premises only) and
`occurrences` (int64[o, 5]: sentence number, argument in the run, place, begin, end)."""
NAMED_SIDES = ("conclusion", CONCLUSION), ("premise", PREMISE)
"""Prefix of each side's arrays, and the side's name in sentence ids."""


@dataclass(frozen=True)
class DistinctSentences:
    """The m distinct sentences of one side, numbered by first occurrence in the corpus."""

    side: str
    rows: SentenceRows
    digests: NDArray[np.uint64]
    """uint64[m, 2]."""
    stands: Ints
    """int64[o, 5]: sentence number, document, place, begin, end; sorted by number.
    The occurrences of a sentence are in corpus order."""

    @cached_property
    def starts(self) -> Ints:
        """int64[m + 1], offsets into `stands`."""
        return np.searchsorted(self.stands[:, 0], np.arange(len(self.rows) + 1)).astype(np.int64)

    def texts(self, numbers: Ints, source: PartSource) -> dict[int, str]:
        """Return texts by sentence number, reading each document once; raise IndexDamaged."""
        stands = self.stands[self.starts[numbers]]
        order = np.argsort(source.arrays.store_rows[stands[:, 1]], kind="stable")
        found = {}
        for doc, some in groupby(stands[order].tolist(), itemgetter(1)):
            asked, argument = list(some), source.store[doc]
            whole, listed = text_of(argument, self.side), {}
            if not all(end for *_, end in asked):  # spans listed by the corpus may be missing
                listed = {text_digest(one.text): one.text for one in sentences(argument, self.side)}
            for number, _, _, begin, end in asked:
                key = self.digests[number].tobytes()
                found[number] = whole[begin:end] if end else listed[key]
        return found


class Gathered:
    """Collects the sentences of one side; of equal texts, only the first is kept."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}
        """Number of each distinct sentence, by digest."""
        self.texts: list[bytes] = []
        """Texts of the sentences, only for conclusions."""
        self._arrays: dict[str, list[NDArray[Any]]] = defaultdict(list)

    def add(self, found: Found, docs: Ints) -> None:
        """Add consecutive documents, numbered `docs`."""
        texts, arrays = found
        known, numbers = len(self.numbers), self.numbers
        keys = arrays["digests"].view("V16").ravel().tolist()
        number_of = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
        new = number_of >= known
        if texts:
            self.texts += [texts[i] for i in np.flatnonzero(new).tolist()]
        occurrences = arrays.pop("occurrences")
        for name, values in arrays.items():
            self._arrays[name].append(values[new])
        occurrences[:, 0] = number_of[occurrences[:, 0]]
        occurrences[:, 1] = docs[occurrences[:, 1]]
        self._arrays["occurrences"].append(occurrences)

    def saved(self, drawer: Drawer, side: tuple[str, str]) -> DistinctSentences:
        """Write the sentences of all documents without their texts, and return them."""
        name, about = side
        # The levels take most of the memory, so write them run by run without joining them.
        runs = self._arrays.pop("levels")
        levels = drawer.new(f"{name}_levels", "int8", (len(self.numbers), runs[0].shape[1]))
        begin = 0
        for run in runs:
            levels[begin : (begin := begin + len(run))] = run
        flat = np.concatenate(self._arrays.pop("occurrences"))
        stands = flat[np.argsort(flat[:, 0], kind="stable")]
        small = {array: np.concatenate(runs) for array, runs in self._arrays.items()}
        for array, values in small.items():
            drawer.save(f"{name}_{array}", values)
        rows = SentenceRows(levels, small["scales"], small["tokens"])
        made = DistinctSentences(about, rows, small["digests"], stands)
        drawer.save(f"{name}_starts", made.starts)
        drawer.save(f"{name}_docs", stands[:, 1].astype(np.int32))
        drawer.save(f"{name}_places", stands[:, 2].astype(np.int32))
        drawer.save(f"{name}_spans", stands[:, 3:].astype(np.int32))
        return made


def gather(
    source: PartSource, encoder: str, progress: Callable[[int, int], None]
) -> tuple[Gathered, Gathered]:
    """Return the sentences of the conclusions and of the premises of all documents."""
    sides, known = (Gathered(), Gathered()), _known(source, encoder)
    for docs, both in source.mapped(partial(_find, encoder, known), progress, embeds=True):
        for side, new in zip(sides, both, strict=True):
            side.add(new, docs)
    return sides


def _known(source: PartSource, encoder: str) -> KnownVectors:
    """Return the sentence vectors of an earlier index, or no vectors if the encoder is fast."""
    if source.before is None or load_encoder(encoder).light:
        return KnownVectors()
    part, names = source.before.open["pairs"], [name for name, _ in NAMED_SIDES]
    digests = chain.from_iterable(
        map(bytes, np.ascontiguousarray(part[f"{name}_digests"]).view("V16").ravel())
        for name in names
    )
    known = KnownVectors(digests, [(part[f"{n}_levels"], part[f"{n}_scales"]) for n in names])
    texts = Strings(part["text_offsets"], part["text_bytes"])
    probes = [texts[i].decode("utf-8", "surrogatepass") for i in range(min(PROBE_SIZE, len(texts)))]
    return known if known.is_of(probes, partial(_quantised, encoder)) else KnownVectors()


def _quantised(encoder: str, texts: list[str]) -> Quantised:
    levels = quantise(load_encoder(encoder).encode(texts))[0]
    return levels, norms(levels)


def _find(encoder: str, known: KnownVectors, arguments: list[Argument]) -> list[Found]:
    """Return the sentences of both sides, except those without tokens."""
    embed = partial(known.embed, embed=partial(_quantised, encoder))
    return [_of_side(embed, arguments, side) for _, side in NAMED_SIDES]


def _of_side(
    embed: Callable[[list[str]], Quantised], arguments: list[Argument], side: str
) -> Found:
    numbers: dict[str, int] = {}
    seen = [
        (numbers.setdefault(one.text, len(numbers)), at, one.place, one.begin, one.end)
        for at, argument in enumerate(arguments)
        for one in sentences(argument, side)
    ]
    tokens = np.diff(tokenize(list(numbers)).offsets).astype(np.int32)
    kept = tokens > 0
    texts = [text for text, keep in zip(numbers, kept.tolist(), strict=True) if keep]
    occurrences = np.array(seen, np.int64).reshape(-1, 5)
    occurrences = occurrences[kept[occurrences[:, 0]]]
    occurrences[:, 0] = (np.cumsum(kept) - 1)[occurrences[:, 0]]
    levels, scales = embed(texts)
    found: dict[str, NDArray[Any]] = {
        "levels": levels,
        "scales": scales,
        "tokens": tokens[kept],
        "digests": np.frombuffer(b"".join(map(text_digest, texts)), np.uint64).reshape(-1, 2),
        "occurrences": occurrences,
    }
    if side == CONCLUSION:
        return [text.encode("utf-8", "surrogatepass") for text in texts], found
    return [], found | {"kinds": np.array([kind(text) for text in texts], np.uint8)}
