"""Read the claims of a text, and find the conclusion in the index that the text is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from argsearch.engine.points.sentences import asked_roots, words_of
from argsearch.engine.stance.claims import read_claim, root
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.wording import ENCODER
from argsearch.engine.text import cues, gist
from argsearch.indexer.encoders import load_encoder

if TYPE_CHECKING:
    from argsearch.engine.results.results import Results

TEXT_READ = 20_000
"""Number of characters to read from the start of a text."""
MOST_CLAIMS = 40
"""Number of claims to read from the start of a text."""
FEWEST_CLAIM_WORDS = 4
"""Minimum number of words in a sentence that makes a claim."""
FEWEST_TELLING_WORDS = 2
"""Minimum number of content words in a sentence that makes a claim."""
HITS = 100
"""Number of a text's hits whose conclusions are candidates for its subject."""
ONE_SUBJECT = 0.65
"""Smallest cosine of two conclusions that count as having the same subject."""
RANK_OFFSET = 10
"""A hit's conclusion is weighted by 1/(RANK_OFFSET + rank)."""
ABOUT_WEIGHTS = {"hits": 2.0, "text": 3.0, "sentences": 2.0, "words": 0.3}
"""Weights of a subject's features, chosen on 72 texts (docs/challenge.md)."""
LEAST_MATCH = {"hits": 0.8, "text": 0.28}
"""If both values are below these thresholds, the index has nothing on the subject of the text."""
_BARRED = [
    cues.CUE_COLUMNS.index(name) for name in ("question", "talk", "reference", "quoted", "opposed")
]


class TextClaim(NamedTuple):
    """A sentence of the text that makes a claim."""

    begin: int
    """Start offset in the text, in code points."""
    end: int
    text: str
    """The sentence with white space collapsed."""


def claims_of(text: str) -> list[TextClaim]:
    """Return the sentences of a text that make a claim, in order.

    Reads TEXT_READ characters. Omits questions, debate talk, sources, quotations and concessions.
    """
    read = gist.read([text[:TEXT_READ]])
    counts = cues.count(cues.codes(read.text), read.spans, *cues.table())
    sound = (counts[:, _BARRED] == 0).all(axis=1) & (counts[:, 0] >= FEWEST_CLAIM_WORDS)
    found = []
    for begin, end in read.spans[sound].tolist():
        said = " ".join(read.text[begin:end].split())
        if len(words_of(said)) >= FEWEST_TELLING_WORDS:
            found.append(TextClaim(begin, end, said))
    return found


def subject_of(search: Callable[..., Results], claims: Sequence[TextClaim]) -> str:
    """Return the conclusion that best describes what a text is about, or an empty text.

    search: like `Engine.search`. Among equally good conclusions, those with a direction win, then
    the shortest one. The result is empty if nothing in the index is about the text.
    """
    texts = [one.text for one in claims[:MOST_CLAIMS]]
    if not texts or not (query := " ".join(dict.fromkeys(" ".join(texts).split()))):
        return ""
    weights: dict[str, float] = {}
    for rank, hit in enumerate(search(query, k=HITS).hits):
        if hit.argument.conclusion and read_claim(hit.argument.conclusion).phrase:
            conclusion = hit.argument.conclusion
            weights[conclusion] = weights.get(conclusion, 0.0) + 1.0 / (RANK_OFFSET + rank)
    if not weights:
        return ""
    read = [read_claim(one) for one in weights]
    encoder, idf = load_encoder(ENCODER), StanceModel.load().idf
    rows, said = encoder.encode([one.phrase for one in read]), encoder.encode(texts)
    alike = rows @ rows.T
    hits = np.where(alike >= ONE_SUBJECT, alike, 0.0) @ np.array([*weights.values()])
    whole = said.mean(axis=0)
    cosines = rows @ (whole / max(float(np.linalg.norm(whole)), 1e-9))
    known = {root(word) for one in texts for word in asked_roots(one)}
    shares = []
    for one in read:
        of = {word: idf(word) for word in one.subject}
        shares.append(sum(of[w] for w in of if w in known) / max(sum(of.values()), 1e-9))
    told = {
        "hits": hits / hits.max(),
        "text": cosines,
        "sentences": np.sort(rows @ said.T, axis=1)[:, -2:].mean(axis=1),
        "words": np.array(shares),
    }
    worths = sum(ABOUT_WEIGHTS[name] * values for name, values in told.items())
    best = float(np.max(worths))
    ties = [i for i, worth in enumerate(worths) if worth >= best - 0.02]
    first = min(ties, key=lambda i: (not read[i].directed, len(read[i].text)))
    there = hits[first] >= LEAST_MATCH["hits"] or cosines[first] >= LEAST_MATCH["text"]
    return list(weights)[first] if there else ""
