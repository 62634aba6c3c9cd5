"""Quality of topics left out: pooled and within topics, all and long arguments, and what moves Q.

    python -m benchmarks.quality --data "$ARGSEARCH_DATA"

Judgements: Webis-ArgQuality-20. Each kind of model is trained without the topic that it predicts,
and, for `words`, with the other corpora that the shipped model learned from. "Within topics": both
the predictions and the judgements less their mean in the topic. Intervals: topics drawn again.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.judged import W20
from indexer.quality import load_quality_model
from indexer.quality.training.judgements import Judgements, read_judgements
from indexer.quality.training.train import TrainingRequest
from indexer.quality.training.trainers import SurfaceTrainer, Trainer
from indexer.quality.training.validation import schemes, validate
from indexer.quality.training.words import WordsTrainer, read_more
from ranking.numbers import pearson

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
SHARES = (0.02, 0.05, 0.1)

Floats = np.ndarray


def centred(values: Floats, topics: Floats) -> Floats:
    """Values less their mean in the topic."""
    sums = np.bincount(topics, values) / np.maximum(np.bincount(topics), 1)
    return values - sums[topics]


def figures(y: Floats, p: Floats, topics: Floats, words: Floats) -> list[float]:
    """Pearson's r as `NAMES` says."""
    far, inner = words > LONG, (centred(p, topics), centred(y, topics))
    pairs = ((p, y), (p[far], y[far]), inner, (inner[0][far], inner[1][far]))
    return [pearson(a, b) for a, b in pairs]


def table(judged: Judgements, trainers: list[Trainer]) -> str:
    """The figures of every kind, and the differences to the first one with 95 % intervals."""
    good, scheme = judged.is_argument, schemes(judged, 10, 0)[1]
    y, topics, words = judged.quality[good], judged.topics[good], judged.words[good]
    found = {
        trainer.name: np.clip(validate(judged, trainer, scheme).quality[good], 0.0, 1.0)
        for trainer in trainers
    }
    lines = [f"| model | {' | '.join(NAMES)} |", "|---|---:|---:|---:|---:|"]
    for name, p in found.items():
        cells = " | ".join(f"{value:.3f}" for value in figures(y, p, topics, words))
        lines.append(f"| {name} | {cells} |")
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


def misspelt(text: str, share: float, rng: np.random.Generator) -> str:
    """The text with two neighbouring letters swapped in that share of its words of 4 or more."""

    def swap(match: re.Match[str]) -> str:
        word = match[0]
        if rng.random() >= share:
            return word
        i = int(rng.integers(1, len(word) - 2))
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]

    return re.sub(r"[A-Za-z]{4,}", swap, text)


def careless(text: str) -> str:
    """The text without capitals at the start of sentences."""
    return re.sub(r"(^|[.!?] +)([A-Z])", lambda m: m[1] + m[2].lower(), text)


def disturbed(judged: Judgements) -> str:
    """How far Q falls where only the spelling of arguments changes: mean Q before and after."""
    texts = [t for t, good in zip(judged.texts, judged.is_argument, strict=True) if good]
    changes: dict[str, Callable[[str], str]] = {}
    for share in SHARES:
        rng = np.random.default_rng(0)
        changes[f"letters swapped in {share:.0%} of the words"] = lambda t, s=share, r=rng: (  # type: ignore[misc]
            misspelt(t, s, r)
        )
    changes["sentences without capitals"] = careless
    models = [load_quality_model(name) for name in ("default", "words")]
    lines = [f"| change | {' | '.join(model.name for model in models)} |", "|---|---:|---:|"]
    before = [model.predict(texts) for model in models]
    lines.append(f"| none: mean Q | {' | '.join(f'{Q.mean():.3f}' for Q in before)} |")
    for name, change in changes.items():
        changed = [change(text) for text in texts]
        after = [model.predict(changed) - Q for model, Q in zip(models, before, strict=True)]
        lines.append(f"| {name} | {' | '.join(f'{d.mean():+.3f}' for d in after)} |")
    return "\n".join(lines)


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
            Path(W20), Path("words.npz"), "words", more=tuple(map(Path, MORE))
        ).command()
    )
    print(table(judged, trainers), disturbed(judged), sep="\n\n")


if __name__ == "__main__":
    main()
