"""Training a static encoder: the default one's piece vectors, taught by a corpus itself.

A premise is to be nearer to its own conclusion than to the others of a batch: InfoNCE (van den
Oord, Li & Vinyals 2018), both ways round, by Adam (Kingma & Ba 2015) on the rows of pieces that
occur, each pulled back to where it was. Some conclusions are left out: one half of them says when
to stop, the other how well is read what was not taught.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus import ReadReport, read_many
from argsearch.indexer.encoders.base import clean, unit_rows
from argsearch.indexer.encoders.static import LIMIT
from argsearch.indexer.encoders.wordllama import WordLlamaEncoder, open_model
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.model_files import STATIC_ENCODER
from argsearch.indexer.processes import silent
from argsearch.lab.training.shape import check_file, markdown, software

Told = Callable[[str, int, int | None], None]
"""Is told the stage, how much of it is done, and of how much if that is known."""
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

LARGEST_SAMPLE = 60_000
"""Arguments that are learnt from, at most; of more a sample."""
PREMISE_READ = 2_400
"""Of a premise, what is read: about WINDOW pieces."""
WINDOW, PIECES = 512, 64
"""A premise is learnt by PIECES pieces, its first ones as the part `meaning` reads them, or, every
other time, by others of its first WINDOW."""
FEWEST = 40
"""Distinct conclusions, at least."""
LEFT_OUT = 10
"""Every which conclusion is left out for the stop, and as many for the figures."""
EPOCHS, PATIENCE = 25, 5
"""Passes over the arguments, at most, and after how many without a better one it ends."""
BATCH = 256
TEMPERATURE = 0.05
RATE = 0.018
"""Adam's step, in the unit of the vectors, whose numbers deviate by .9."""
PULL = 0.2
"""How much of its way from the start a row loses in a step, times RATE."""
WARM = 50
"""Steps until RATE is reached."""


@dataclass(frozen=True)
class EncoderRequest:
    """What to learn from, where to write, and the seed of sample, split and order."""

    sources: Sequence[str]
    out: Path
    seed: int = 0


@dataclass(frozen=True)
class LeftOutFigures:
    """How well vectors bring premises and conclusions together that were left out, in 0 to 1.

    Means over conclusions: one with many premises counts once.
    """

    first: float
    """Premises whose own conclusion is the nearest of all conclusions."""
    ten: float
    """Those where it is among the ten nearest."""
    reciprocal_rank: float
    """The mean of 1 / its rank."""
    premises: float
    """Of a conclusion's own premises, how many are among its twenty nearest (of 20 at most)."""


@dataclass(frozen=True)
class EncoderResult:
    """A trained encoder, and how it reads conclusions that it was not taught."""

    path: Path
    sha256: str
    arguments: int
    conclusions: int
    epochs: int
    """After how many passes the vectors are those that were kept; 0: the start's."""
    before: LeftOutFigures
    after: LeftOutFigures

    def table(self) -> str:
        """Return the figures on left-out conclusions as a Markdown table."""
        header = (
            "vectors",
            "own conclusion first",
            "among ten",
            "reciprocal rank",
            "own premises among twenty",
        )
        rows = (("wordllama", self.before), ("of the corpus", self.after))
        cells = [[name, *(f"{x:.3f}" for x in asdict(found).values())] for name, found in rows]
        return markdown(header, cells)


class PieceRuns(NamedTuple):
    """The pieces of texts, and where each text's begin, int64[n + 1]."""

    pieces: NDArray[np.int32]
    bounds: Ints

    def counts(self, texts: Ints, skipped: Ints | int = 0) -> Any:
        """How often each piece is in PIECES of some texts: scipy's csr_matrix, float32[n, 32000].

        skipped: pieces of each before these.
        """
        from scipy.sparse import csr_matrix

        begins = self.bounds[texts] + skipped
        sizes = np.minimum(PIECES, self.bounds[texts + 1] - begins)
        ends = np.append(0, np.cumsum(sizes))
        at = np.arange(ends[-1]) + np.repeat(begins - ends[:-1], sizes)
        ones = np.ones(len(at), np.float32)
        return csr_matrix((ones, self.pieces[at], ends), shape=(len(texts), 32_000))

    def unit(self, vectors: Floats, texts: Ints | None = None) -> Floats:
        """The unit vectors of some texts (None: of all), by those of pieces: float32[n, d]."""
        texts = np.arange(len(self.bounds) - 1) if texts is None else texts
        return unit_rows(self.counts(texts) @ vectors)


@dataclass(frozen=True)
class PairedTexts:
    """Premises, distinct conclusions, and which conclusion is whose."""

    premises: PieceRuns
    conclusions: PieceRuns
    own: Ints
    """int64[premises]."""
    part: NDArray[np.int8]
    """int8[conclusions]: 0 to learn from, 1 for the stop, 2 for the figures."""

    def ranks(self, vectors: Floats, part: int) -> tuple[Ints, NDArray[np.float64]]:
        """The ranks of own conclusions among all, of the premises of a part, int64[n] from 1 on.

        The second value is 1 / how many premises a conclusion has, float64[n].
        """
        conclusions = self.conclusions.unit(vectors)
        asked, ranks = np.flatnonzero(self.part[self.own] == part), []
        for at in range(0, len(asked), BATCH):
            some = asked[at : at + BATCH]
            cosines = self.premises.unit(vectors, some) @ conclusions.T
            own = cosines[np.arange(len(some)), self.own[some]]
            ranks.append(1 + (cosines > own[:, None]).sum(axis=1))
        return np.concatenate(ranks), 1 / np.bincount(self.own)[self.own[asked]]

    def found(self, vectors: Floats, part: int) -> LeftOutFigures:
        """How well vectors of pieces bring the premises and conclusions of a part together."""
        ranks, weights = self.ranks(vectors, part)
        premises = self.premises.unit(vectors)
        asked, shares = np.flatnonzero(self.part == part), []
        for at in range(0, len(asked), BATCH):
            some = asked[at : at + BATCH]
            cosines = self.conclusions.unit(vectors, some) @ premises.T
            nearest = np.argpartition(-cosines, min(20, cosines.shape[1] - 1), axis=1)[:, :20]
            among = (self.own[nearest] == some[:, None]).sum(axis=1)
            shares.append(among / np.minimum(20, np.bincount(self.own)[some]))
        found = [np.average(x, weights=weights) for x in (ranks == 1, ranks <= 10, 1 / ranks)]
        return LeftOutFigures(*map(float, [*found, np.mean(np.concatenate(shares))]))


def train_encoder(request: EncoderRequest, progress: Told = silent) -> EncoderResult:
    """Learn from a corpus and write the encoder's file; the same corpus gives the same bytes.

    Raises InvalidParameter or ArgsearchError for a place that cannot be written, what reading the
    corpus raises, and ArgsearchError where it has fewer than FEWEST conclusions.
    """
    from threadpoolctl import threadpool_limits

    check_file(request.out)
    random, report = np.random.default_rng(request.seed), ReadReport()
    with threadpool_limits(1):  # sums in the same order
        material = read_material(request.sources, random, report, progress)
        start = np.asarray(open_model()[0], np.float32)
        vectors, epochs = learnt(material, start, random, progress)
        vectors *= min(1.0, 0.99 * LIMIT / float(np.abs(vectors).max()))
        kept = vectors.astype(np.float16)
        before, after = (material.found(x, 2) for x in (start, kept.astype(np.float32)))
    said = {
        "corpus": [[Path(one.name).name, one.sha256] for one in report.sources],
        "arguments": len(material.own),
        "conclusions": len(material.part),
        "epochs": epochs,
        "seed": request.seed,
        "left out": {"wordllama": asdict(before), "this": asdict(after)},
        "software": software("scipy", "wordllama"),
    }
    sha256 = STATIC_ENCODER.write(request.out, said, {"vectors": kept})
    sizes = len(material.own), len(material.part)
    return EncoderResult(request.out, sha256, *sizes, epochs, before, after)


def read_material(
    sources: Sequence[str], random: np.random.Generator, report: ReadReport, progress: Told
) -> PairedTexts:
    """Read a corpus, or a sample of its arguments that have both (reservoir sampling)."""
    kept: list[tuple[str, str]] = []
    seen = count(1)
    for number, one in enumerate(read_many(sources, report=report), 1):
        progress("arguments", number, None)
        conclusion, premise = (one.conclusion or "").strip(), one.premise.strip()[:PREMISE_READ]
        if not conclusion or not premise:
            continue
        place = int(random.integers(next(seen)))
        if len(kept) < LARGEST_SAMPLE:
            kept.append((conclusion, premise))
        elif place < LARGEST_SAMPLE:
            kept[place] = conclusion, premise
    distinct = {text: i for i, text in enumerate(dict.fromkeys(text for text, _ in kept))}
    if len(distinct) < FEWEST:
        raise ArgsearchError(
            f"the corpus has {len(distinct)} distinct conclusions with premises; an encoder learns "
            f"from {FEWEST} at least: give a larger corpus, or use encoder = wordllama"
        )
    pieces = WordLlamaEncoder().pieces
    premises = PieceRuns(*pieces([clean(premise) for _, premise in kept]))
    part = np.zeros(len(distinct), np.int8)
    order, share = random.permutation(len(distinct)), len(distinct) // LEFT_OUT
    part[order[:share]], part[order[share : 2 * share]] = 1, 2
    own = np.array([distinct[text] for text, _ in kept])
    return PairedTexts(premises, PieceRuns(*pieces([clean(text) for text in distinct])), own, part)


def learnt(
    material: PairedTexts, start: Floats, random: np.random.Generator, progress: Told
) -> tuple[Floats, int]:
    """The vectors of the pass that does best on the conclusions of the stop, and its number."""
    rows = np.flatnonzero(material.part[material.own] == 0)
    sizes = np.minimum(np.diff(material.premises.bounds), WINDOW)
    adam, best = PulledAdam(start), (_mean_reciprocal(material, start), start, 0)
    steps = max(1, len(rows) // BATCH)
    for epoch in range(1, EPOCHS + 1):
        for step, some in enumerate(np.array_split(random.permutation(rows), steps)):
            progress("steps", (epoch - 1) * steps + step, EPOCHS * steps)
            room = np.maximum(sizes[some] - PIECES, 0) * (random.random(len(some)) < 0.5)
            premises = material.premises.counts(some, (random.random(len(some)) * room).astype(int))
            conclusions = material.conclusions.counts(material.own[some])
            adam.step(*gradient(premises, conclusions, adam.vectors, material.own[some]))
        reached = _mean_reciprocal(material, adam.vectors)
        if reached > best[0]:
            best = reached, adam.vectors.copy(), epoch
        elif epoch - best[2] >= PATIENCE:
            break
    return best[1].copy(), best[2]


def _mean_reciprocal(material: PairedTexts, vectors: Floats) -> float:
    ranks, weights = material.ranks(vectors, 1)
    return float(np.average(1 / ranks, weights=weights))


def gradient(premises: Any, conclusions: Any, vectors: Floats, own: Ints) -> tuple[Ints, Floats]:
    """∂L/∂vectors of a batch: the pieces that occur, int64[m], and their rows, float32[m, d].

    L is the mean of InfoNCE from premises to conclusions and back, of cosines / TEMPERATURE; a
    premise of the same conclusion is no contrary. premises, conclusions: counts of pieces, csr;
    own: the conclusions' numbers, int64[n].
    """
    from scipy.sparse import vstack

    sums = [counts @ vectors for counts in (premises, conclusions)]
    lengths = [np.sqrt((one * one).sum(axis=1, keepdims=True)) + 1e-9 for one in sums]
    u, v = (one / length for one, length in zip(sums, lengths, strict=True))
    logits = u @ v.T / np.float32(TEMPERATURE)
    same = own[:, None] == own
    np.fill_diagonal(same, False)
    logits[same] = -np.inf
    error = (_softmax(logits, 1) + _softmax(logits, 0)) / 2 - np.eye(len(own), dtype=np.float32)
    error /= np.float32(len(own) * TEMPERATURE)
    both = []
    for unit, to, length in ((u, error @ v, lengths[0]), (v, error.T @ u, lengths[1])):
        both.append((to - (to * unit).sum(axis=1, keepdims=True) * unit) / length)
    counts = vstack([premises, conclusions]).tocsr()
    pieces = np.unique(counts.indices).astype(np.int64)
    return pieces, counts[:, pieces].T @ np.concatenate(both)


def _softmax(logits: Floats, axis: int) -> Floats:
    shares = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return np.asarray(shares / shares.sum(axis=axis, keepdims=True), np.float32)


class PulledAdam:
    """Adam on the rows that a batch moves, each pulled towards its start."""

    def __init__(self, start: Floats) -> None:
        """start: float32[pieces, d], which stays as it is."""
        self._start, self.vectors = start, start.copy()
        self._mean, self._square = np.zeros_like(start), np.zeros_like(start)
        self._steps = 0

    def step(self, rows: Ints, to: Floats) -> None:
        """Move rows, int64[m], against their gradient, float32[m, d]."""
        self._steps += 1
        self._mean[rows] = 0.9 * self._mean[rows] + 0.1 * to
        self._square[rows] = 0.999 * self._square[rows] + 0.001 * to * to
        mean = self._mean[rows] / np.float32(1 - 0.9**self._steps)
        root = np.sqrt(self._square[rows] / np.float32(1 - 0.999**self._steps))
        back = PULL * (self.vectors[rows] - self._start[rows])
        rate = RATE * min(1.0, self._steps / WARM)
        self.vectors[rows] -= np.float32(rate) * (mean / (root + np.float32(1e-8)) + back)
