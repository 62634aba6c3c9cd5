"""A challenged text: the sentences that claim something, and the conclusion that it is about."""

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
"""Characters of a text that are read, its first."""
MOST_CLAIMS = 40
"""Claims of a text that are read, its first."""
FEWEST_CLAIM_WORDS = 4
"""Words of a sentence that claims something, at least."""
FEWEST_TELLING_WORDS = 2
"""Words of it that tell what it claims, at least."""
HITS = 100
"""Hits for a text whose conclusions may say what it is about."""
ONE_SUBJECT = 0.65
"""Cosine from which two conclusions have one subject."""
RANK_OFFSET = 10
"""A hit's conclusion counts 1/(RANK_OFFSET + rank)."""
ABOUT_WEIGHTS = {"hits": 2.0, "text": 3.0, "sentences": 2.0, "words": 0.3}
"""What tells that a conclusion says what a text is about: the hits whose conclusions have its
subject, its cosine with the text's claims together and with the two nearest, the share of its
words by idf that the text has. Chosen on 72 texts written for it (docs/challenge.md)."""
LEAST_MATCH = {"hits": 0.8, "text": 0.28}
"""What one of these must reach, or the index has nothing on the text's subject."""
_BARRED = [
    cues.CUE_COLUMNS.index(name) for name in ("question", "talk", "reference", "quoted", "opposed")
]


class TextClaim(NamedTuple):
    """A sentence of the text that claims something."""

    begin: int
    """Where it begins in the text, in code points."""
    end: int
    text: str
    """White space folded."""


def claims_of(text: str) -> list[TextClaim]:
    """Return the sentences of a text's first TEXT_READ characters that claim something, in order.

    No questions, no talk about the debate, no sources, nothing quoted or conceded.
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
    """Return the conclusion of the index that says best what a text is about, or an empty text.

    search: as `Engine.search`. Of conclusions that say it equally well it is a directed one, the
    shortest. Empty where nothing in the index is about it.
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
