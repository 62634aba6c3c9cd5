"""Vectors that an index already has, by the digests of their texts.

A neural encoder takes most of the time of a build. When an index changes, the encoder is called
only for new texts.
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
"""Function that turns texts into quantised vectors."""
Texts = Callable[[list[Argument]], list[tuple[list[str], str]]]
"""Function that returns the premises or passages, and the conclusion, of some arguments."""
PROBE_SIZE = 2
"""Number of texts to embed again, to detect a different model with the same name."""


class KnownVectors:
    """Quantised vectors, by the digests of their texts."""

    def __init__(self, digests: Iterable[bytes] = (), held: Sequence[Quantised] = ()) -> None:
        """Take the vectors `held` of the texts with these digests, as consecutive blocks."""
        self._held = held
        self._ends = np.cumsum([0, *(len(scales) for _, scales in held)])
        self._numbers = {digest: number for number, digest in enumerate(digests)}

    def embed(self, texts: list[str], embed: Embed) -> Quantised:
        """Return vectors, int8[n, d], and scales, float32[n]; call `embed` only for new texts."""
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
        """Return whether the encoder reproduces the stored vectors of some texts.

        A component may differ by 1, because the batch size or the processor may be different.
        """
        (held, _), (made, _) = self.embed(list(texts), embed), embed(list(texts))
        return held.shape == made.shape and bool((np.abs(held.astype(np.int16) - made) <= 1).all())


def known_vectors(
    source: PartSource, name: str, encoder: Encoder, read: Texts, embed: Embed
) -> KnownVectors:
    """Return the vectors of the earlier index's part, or no vectors if the encoder is fast.

    name: name of the part, `vectors` or a part with passages. read: a function at module level (see
    `PartSource.mapped`).
    """
    before = source.before
    if before is None or encoder.light or "conclusions" not in before.open[name].arrays:
        return KnownVectors()
    part = before.open[name]
    in_passages = "passages" in part.arrays
    own_names = ("passages", "passages_scales") if in_passages else ("rows", "scales")
    names = own_names, ("conclusions", "conclusions_scales")
    blocks = [(part[vectors], part[scales]) for vectors, scales in names]
    firsts = before.arrays.conclusion_docs[:-1].tolist()
    claim_of = {doc: claim for claim, doc in enumerate(firsts)}
    own, claims, probes = [b""] * len(blocks[0][1]), [b""] * len(firsts), list[str]()
    starts = part["passage_starts"] if in_passages else np.arange(before.documents + 1)
    row_of = part["passage_of"] if in_passages else np.arange(before.documents)
    for docs, texts in before.mapped(read, lambda *_: None):
        for doc, (premises, conclusion) in zip(docs.tolist(), texts, strict=True):
            at = row_of[starts[doc] : starts[doc + 1]].tolist()
            for row, text in zip(at, premises, strict=True):
                own[row] = text_digest(text)
                if len(probes) < PROBE_SIZE and text.strip():
                    probes.append(text)
            if doc in claim_of:
                claims[claim_of[doc]] = text_digest(conclusion)
    known = KnownVectors([*own, *claims], blocks)
    return known if probes and known.is_of(probes, embed) else KnownVectors()
