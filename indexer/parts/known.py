"""Vectors that an index holds already, by the digests of their texts.

A neural encoder takes most of the time of a build. Where an index is changed, it is asked for new
texts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.parts.base import PartSource, text_digest
from argsearch.ranking.vectors import Quantised

Embed = Callable[[list[str]], Quantised]
"""Texts -> their vectors, rounded."""
Texts = Callable[[list[Argument]], list[tuple[str, str]]]
"""What is embedded of some arguments: of each its premises, and its conclusion."""
PROBE_SIZE = 2
"""Texts that are embedded again: a model of the same name may be another."""


class KnownVectors:
    """Rounded vectors, by the digests of their texts."""

    def __init__(self, digests: Iterable[bytes] = (), held: Sequence[Quantised] = ()) -> None:
        """held: the vectors of the texts, in blocks one after the other."""
        self._held = held
        self._ends = np.cumsum([0, *(len(scales) for _, scales in held)])
        self._numbers = {digest: number for number, digest in enumerate(digests)}

    def embed(self, texts: list[str], embed: Embed) -> Quantised:
        """Vectors of texts: int8[n, d] and scales float32[n]; `embed` is asked for the new ones."""
        if not self._numbers:
            return embed(texts)
        numbers = np.array([self._numbers.get(text_digest(text), -1) for text in texts], np.int64)
        made = embed([text for text, number in zip(texts, numbers, strict=True) if number < 0])
        rows, scales = np.empty((len(texts), made[0].shape[1]), np.int8), np.empty(len(texts), "f4")
        rows[numbers < 0], scales[numbers < 0] = made
        for (levels, sizes), (begin, end) in zip(self._held, pairwise(self._ends), strict=True):
            here = (numbers >= begin) & (numbers < end)
            rows[here], scales[here] = levels[numbers[here] - begin], sizes[numbers[here] - begin]
        return rows, scales

    def is_of(self, texts: Sequence[str], embed: Embed) -> bool:
        """Whether the encoder gives some of the texts the vectors that are held.

        A difference of 1 in a component is that of another batch or processor.
        """
        (held, _), (made, _) = self.embed(list(texts), embed), embed(list(texts))
        return held.shape == made.shape and bool((np.abs(held.astype(np.int16) - made) <= 1).all())


def known_vectors(
    source: PartSource,
    name: str,
    encoder: Encoder,
    read: Texts,
    arrays: Sequence[str],
    embed: Embed,
) -> KnownVectors:
    """What the part of an index of before holds of its texts; nothing where the encoder is quick.

    name: the part's; read: a function of a module, as `PartSource.mapped` has it; arrays: the names
    of the vectors of each document and of each distinct conclusion, then of their scales.
    """
    before = source.before
    if before is None or encoder.light or not set(arrays) <= set(before.open[name].arrays):
        return KnownVectors()
    firsts = before.arrays.conclusion_docs[:-1].tolist()
    claim_of = {doc: claim for claim, doc in enumerate(firsts)}
    own, claims, probes = [b""] * before.documents, [b""] * len(firsts), list[str]()
    for docs, texts in before.mapped(read, lambda *_: None):
        for doc, (premises, conclusion) in zip(docs.tolist(), texts, strict=True):
            own[doc] = text_digest(premises)
            if doc in claim_of:
                claims[claim_of[doc]] = text_digest(conclusion)
            if len(probes) < PROBE_SIZE and premises.strip():
                probes.append(premises)
    part = before.open[name]
    blocks = [(part[arrays[at]], part[arrays[at + 2]]) for at in range(2)]
    known = KnownVectors([*own, *claims], blocks)
    return known if probes and known.is_of(probes, embed) else KnownVectors()
