"""Quality of topics left out: pooled and within topics, all and long arguments.

    python -m studies.quality --data "$ARGSEARCH_DATA"

Judgements: Webis-ArgQuality-20. Each kind of model is trained without the topic that it predicts,
and, for `words`, with the other corpora that the shipped model learned from. "Within topics": both
the predictions and the judgements less their mean in the topic. Intervals: topics drawn again.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from argsearch.lab.judgements.webis import Judgements, read_judgements
from argsearch.lab.training.quality.trainers import SurfaceTrainer, Trainer, WordsTrainer, read_more
from argsearch.lab.training.quality.training import TrainingRequest, schemes, validate
from argsearch.ranking.numbers import pearson, percentiles
from studies.judgements import W20

MORE = (
    "ukpconvarg1/UKPConvArg1-csv.tar.xz",
    "ibm/argq-toledo2019.tar.xz",
    "ibm/eviconv",
    "ibm/argq-rank-30k",
    "dagstuhl-15512",
)
"""What the shipped model `words` learned from beside the judgements."""
LONG = 100
SAMPLES = 1000
NAMES = ("pooled", "above 100 words", "within topics", "within topics, above 100 words")

Floats = np.ndarray


def centred(values: Floats, topics: Floats) -> Floats:
    """Values less their mean in the topic."""
    sums = np.bincount(topics, values) / np.maximum(np.bincount(topics), 1)
    return values - sums[topics]


def among(values: Floats, topics: Floats, reading: str) -> Floats:
    """Predictions as the stage `quality` reads them: the candidates are the texts of the topic."""
    out = np.empty(len(values))
    for topic in np.unique(topics):
        out[topics == topic] = percentiles(values[topics == topic], reading)
    return out


def figures(y: Floats, p: Floats, topics: Floats, words: Floats) -> list[float]:
    """Pearson's r as `NAMES` says."""
    far, inner = words > LONG, (centred(p, topics), centred(y, topics))
    pairs = ((p, y), (p[far], y[far]), inner, (inner[0][far], inner[1][far]))
    return [pearson(a, b) for a, b in pairs]


def left_out(judged: Judgements, trainers: Sequence[Trainer]) -> dict[str, Floats]:
    """Q of every item by each kind of model, trained without the item's topic: float64[n]."""
    scheme = schemes(judged, 10, 0)[1]
    return {
        trainer.name: np.clip(validate(judged, trainer, scheme).quality, 0.0, 1.0)
        for trainer in trainers
    }


def table(judged: Judgements, trainers: list[Trainer]) -> str:
    """The figures of every kind, and the differences to the first one with 95 % intervals."""
    good = judged.is_argument
    y, topics, words = judged.quality[good], judged.topics[good], judged.words[good]
    whole = left_out(judged, trainers)
    found = {name: p[good] for name, p in whole.items()}
    lines = [f"| model | {' | '.join(NAMES)} |", "|---|---:|---:|---:|---:|"]
    for name, p in found.items():
        cells = " | ".join(f"{value:.3f}" for value in figures(y, p, topics, words))
        lines.append(f"| {name} | {cells} |")
    for name, p in whole.items():
        for reading in ("z", "rank"):
            cells = figures(y, among(p, judged.topics, reading)[good], topics, words)
            said = " | ".join(f"{value:.3f}" for value in cells)
            lines.append(f"| {name}, {reading} among the topic's texts | {said} |")
    (first, base), *others = found.items()
    for name, p in others:
        low, mid, high = _difference(y, (base, p), topics, words)
        cells = [f"{m:+.3f} [{a:+.3f}, {b:+.3f}]" for a, m, b in zip(low, mid, high, strict=True)]
        lines.append(f"| {name} less {first} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _difference(y: Floats, both: tuple[Floats, Floats], topics: Floats, words: Floats) -> Floats:
    """The differences of the figures: lower end, value, upper end."""
    rng, rows = np.random.default_rng(0), []
    own = [np.flatnonzero(topics == topic) for topic in range(topics.max() + 1)]
    whole = np.subtract(*(figures(y, p, topics, words) for p in both[::-1]))
    for _ in range(SAMPLES):
        drawn = rng.integers(0, len(own), len(own))
        at = np.concatenate([own[i] for i in drawn])
        names = np.repeat(np.arange(len(own)), [len(own[i]) for i in drawn])
        rows.append(np.subtract(*(figures(y[at], p[at], names, words[at]) for p in both[::-1])))
    low, high = np.quantile(rows, (0.025, 0.975), axis=0)
    return np.array([low, whole, high])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    judged = read_judgements(data / W20)
    more = read_more([data / source for source in MORE])
    trainers = [SurfaceTrainer(judged), WordsTrainer(judged, more, lambda _: None)]
    print(
        TrainingRequest(
            Path(W20), Path("words.safetensors"), "words", more=tuple(map(Path, MORE))
        ).command()
    )
    print(table(judged, trainers))


if __name__ == "__main__":
    main()
