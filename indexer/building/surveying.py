"""Collects facts about a whole corpus before the corpus is sent to a search server."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.building.collect import SIZE, signalled
from argsearch.indexer.building.request import BuildRequest
from argsearch.indexer.corpus import ReadReport
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.corpus.ids import IdsOnDisk
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.store import from_line, to_line
from argsearch.indexer.parts.near_duplicates import SHINGLES, grouped, sketched
from argsearch.indexer.processes import Progress, in_order
from argsearch.indexer.server.schema import GROUP, shared
from argsearch.indexer.signals.cluster import centroids_of
from argsearch.ranking.near_duplicates.shingles import Sketch

MOST = 131_072
"""Maximum number of distinct conclusions to cluster; larger sets are halved until they fit."""


class Conclusions:
    """The distinct conclusions of a corpus with their counts; sampled evenly if there are many.

    The sample depends only on the texts, and not on their order or number.
    """

    def __init__(self, most: int = MOST) -> None:
        self.counts: Counter[str] = Counter()
        self.arguments = 0
        """Number of documents that have a conclusion."""
        self._most, self._share = most, 1

    def add(self, conclusions: Iterable[str | None]) -> None:
        """Count the conclusions of some documents."""
        for text in conclusions:
            if text and text.strip():
                self.arguments += 1
                if self._is_kept(text):
                    self.counts[text] += 1
        while len(self.counts) > self._most:
            self._share *= 2
            self.counts = Counter({t: n for t, n in self.counts.items() if self._is_kept(t)})

    def _is_kept(self, text: str) -> bool:
        if self._share == 1:
            return True
        digest = blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self._share == 0


@dataclass
class Survey:
    """Results of a survey."""

    centroids: NDArray[np.float32]
    """float32[k, dimensions]; k is 0 if clusters were not requested."""
    bounds: NDArray[np.float32] | None = None
    """Lowest and highest raw quality prediction, if they are needed to scale Q."""
    groups: NDArray[np.int32] | None = None
    """int32[n], each document's group of near-duplicates; -1 if it has none."""
    spool: Path | None = None
    """File with the lines of the documents, if these cannot be read again."""
    report: ReadReport = field(default_factory=ReadReport)

    def spooled(self) -> Iterator[list[Argument]]:
        """Yield the documents in the spool file, SIZE at a time."""
        assert self.spool is not None
        with self.spool.open("rb") as stream:
            while lines := list(islice(stream, SIZE)):
                yield [from_line(line) for line in lines]


Seen = tuple[float, float, Sketch | None]
"""Lowest and highest raw quality predicted for some documents, and the shingles of all of them.
Both bounds are infinite if there is no prediction."""


def _look(model: str | None, sketches: bool, lines: bytes) -> Seen:
    arguments = [from_line(line) for line in lines.split(b"\n")]
    low, high = np.inf, -np.inf
    if model is not None:
        no_lengths = np.zeros(len(arguments), np.int32)
        raw = np.asarray(signalled(arguments, no_lengths, model)["quality"])
        told = raw[~np.isnan(raw)]
        low, high = told.min(initial=np.inf), told.max(initial=-np.inf)
    return low, high, sketched(arguments) if sketches else None


def survey(request: BuildRequest, folder: Path, clusters: bool, progress: Progress) -> Survey:
    """Read the corpus to compute what the settings require; don't read it if they require nothing.

    folder: folder for temporary files. clusters: true to compute clusters.
    """
    settings, encoder = request.settings, load_encoder(request.settings.encoder)
    found = Survey(np.zeros((0, encoder.dimensions), np.float32))
    conclusions = Conclusions() if clusters and encoder.dimensions else None
    scaled, sketches = settings.quality_scale == "minmax", GROUP in settings.parts
    # Standard input cannot be read again when the documents are sent.
    if request.is_read_once:
        found.spool = folder / "spool"
    elif conclusions is None and not (scaled or sketches):
        return found
    with closing(IdsOnDisk(folder / "survey.ids")) as seen:
        runs = request.batches(SIZE, found.report, seen)
        lines = _read(runs, found, conclusions, progress)
        if scaled or sketches:
            look = partial(_look, settings.quality_model if scaled else None, sketches)
            looked = in_order(look, lines, request.workers)
            _gather(looked, found, folder / SHINGLES)
        else:
            # Only consume the lines: `_read` counts conclusions and spools lines on the way.
            deque(lines, 0)
    if conclusions is not None and conclusions.counts:
        progress("clusters", 0)
        rows = encoder.encode(list(conclusions.counts))
        counts = np.array(list(conclusions.counts.values()), np.int64)
        found.centroids = centroids_of(rows, counts, conclusions.arguments, settings)
    return found


def _read(
    runs: Iterator[list[Argument]],
    found: Survey,
    conclusions: Conclusions | None,
    progress: Progress,
) -> Iterator[bytes]:
    """Yield the lines of each run; count its conclusions, and spool its lines if required."""
    with found.spool.open("wb") if found.spool else nullcontext() as spool:
        for run in runs:
            if conclusions is not None:
                conclusions.add(argument.conclusion for argument in run)
            lines = b"\n".join(map(to_line, run))
            if spool is not None:
                spool.write(lines + b"\n")
            progress("survey", found.report.documents)
            yield lines


def _gather(looked: Iterator[Seen], found: Survey, shingles: Path) -> None:
    """Combine the workers' results into quality bounds and groups of near-duplicates."""
    low, high, sizes = np.inf, -np.inf, []
    with shingles.open("wb") as stream:
        for least, most, sketch in looked:
            low, high = min(low, least), max(high, most)
            if sketch is not None:
                stream.write(sketch.shingles.data)
                sizes.append(sketch.sizes)
    if low <= high:
        found.bounds = np.array([low, high], np.float32)
    if sizes:
        joined = np.concatenate(sizes)
        order = np.arange(len(joined), dtype=np.int32)
        found.groups = shared(grouped(shingles, joined, order))
    shingles.unlink()
