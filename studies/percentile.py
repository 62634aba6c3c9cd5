"""Quality as it is, or read against the question's candidates: over weights, on judged documents.

    python -m studies.percentile --data "$ARGSEARCH_DATA" [--model words]

Collections and measures: `studies.judgements`, `studies.effectiveness`. The base is the shipped
default without its quality factor; the stage `quality` then re-ranks its first hits, as the engine
does. Q of Webis-ArgQuality-20 comes from models trained without the topic and its texts. With
--model, `words` or a file of that kind, Q of both collections is of that kind instead.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from argsearch.engine.config import Boost, Config, load_config
from argsearch.indexer.model_files import QUALITY
from argsearch.indexer.quality import SHIPPED, load_quality_model
from argsearch.lab.judgements.webis import read_judgements
from argsearch.lab.training.quality.trainers import WordsTrainer, fit, read_more
from argsearch.ranking.combination import factor
from argsearch.ranking.numbers import READINGS, percentiles, sigmoid
from argsearch.ranking.quality.linear import prior_shift
from studies.effectiveness import LABELS, Lab
from studies.judgements import W20, Collection, documents, read_rows, w20_ids
from studies.recombining import DEPTH, Floats, Matches, by_eq1, judged_values, ndcg

WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
DEPTHS = (20, 100)

Order = Callable[[Matches, int], np.ndarray]


def staged(boost: Boost, reading: str, weight: float, depth: int) -> Order:
    """The order after Eq. 1, the premises' factor, and the stage `quality`."""

    def order(matches: Matches, seed: int) -> np.ndarray:
        S, base = by_eq1(matches, seed, boost)
        head = base[: boost.premises_depth]
        values = S[head] * factor(boost.premises, matches.P[head])
        first = np.argsort(-values, kind="stable")
        head, values = head[first], values[first]
        some, Q = head[:depth], matches.Q[head[:depth]]
        again = values[:depth] * factor(weight, percentiles(Q, reading))
        some = some[np.argsort(-again, kind="stable")]
        return np.concatenate([some, head[depth:], base[boost.premises_depth :]])[:DEPTH]

    return order


def measure(lab: Lab, config: Config, orders: list[Order]) -> Floats:
    """float64[orders, measures], means over topics and seeds of k-means."""
    found = []
    for collection in (lab.touche, lab.w20):
        rows = []
        for query in collection.topics:
            matches = collection.matches(query, config)
            seeds = range(len(collection.clusters))
            rows.append([_mean(matches, order, seeds) for order in orders])
        found.append(np.mean(rows, axis=0))
    return np.hstack(found)


def _mean(matches: Matches, order: Order, seeds: range) -> Floats:
    return np.mean([_values(matches, order(matches, seed)) for seed in seeds], axis=0)


def _values(matches: Matches, order: np.ndarray) -> list[float]:
    gains = matches.gains[:, order]
    if len(gains) == 1:  # Touché 2020
        return judged_values(gains[0], matches.ideal[0])
    return [ndcg(some, ideal, 10) for some, ideal in zip(gains, matches.ideal, strict=True)]


def with_model(lab: Lab, data: Path, model: Path) -> Lab:
    """The same with Q of a model of kind `words`; on W20 of such models that left the topic out."""
    loaded, backend = load_quality_model(str(model)), lab.touche.engine.backend.directory
    assert backend is not None
    texts = [backend.store[doc].premise for doc in range(backend.documents)]
    Q = loaded.predict(texts).astype(np.float64)
    touche = replace(lab.touche, quality=dict.fromkeys(lab.touche.topics, Q))
    file = SHIPPED.get(str(model)) or model
    command = QUALITY.read(file).header["provenance"]["command"].split()
    more = [command[i + 1] for i, part in enumerate(command) if part == "--more"]
    sources = [next(iter(sorted(data.rglob(name)))) for name in more]
    return Lab(touche, _w20(lab.w20, data, sources))


def _w20(collection: Collection, data: Path, sources: list[Path]) -> Collection:
    judged = read_judgements(data / W20)
    trainer = WordsTrainer(judged, read_more(sources), lambda _: None)
    texts, quality = np.array(judged.texts, dtype=object), {}
    places = _places(collection, data)
    for number, query in enumerate(_queries(data)):
        its = set(texts[judged.topics == number])
        rest = np.flatnonzero([text not in its for text in texts])
        gate, predicted = fit(trainer, rest).score(slice(None))
        chance = sigmoid(gate + prior_shift(judged.is_argument[rest]))
        quality[query] = np.empty(len(collection.gains[query][0]))
        quality[query][places] = np.clip(predicted, 0.0, 1.0) * chance
    return replace(collection, quality=quality)


def _places(collection: Collection, data: Path) -> np.ndarray:
    return documents(collection.engine, w20_ids(data))


def _queries(data: Path) -> list[str]:
    """The topic ids in the order of the judgements' topic numbers."""
    return sorted({row["Topic ID"] for row in read_rows(data / W20)})


def table(lab: Lab) -> str:
    """A row for every reading, depth and weight, after the shipped default."""
    config = load_config("default")
    bare = replace(config.boost, quality=0.0)
    plans = [(reading, depth, w) for reading in READINGS for depth in DEPTHS for w in WEIGHTS[1:]]
    orders = [staged(config.boost, "absolute", 0.0, 100), staged(bare, "absolute", 0.0, 100)]
    orders += [staged(bare, reading, w, depth) for reading, depth, w in plans]
    values = measure(lab, config, orders)
    heads = [f"default as shipped, w_quality {config.boost.quality:g}", "default, w_quality 0"]
    heads += [f"{reading}, first {depth}, weight {w:g}" for reading, depth, w in plans]
    lines = [f"| quality | {' | '.join(LABELS)} |", f"|---|{'---|' * len(LABELS)}"]
    for head, row in zip(heads, values, strict=True):
        lines.append(f"| {head} | {' | '.join(f'{value:.3f}' for value in row)} |")
    return "\n".join(lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--folder", type=Path, help="where the indexes are kept; else made anew")
    args = parser.parse_args()
    with TemporaryDirectory() as made:
        lab = Lab.read(args.data, args.folder or Path(made))
        found = table(with_model(lab, args.data, args.model) if args.model else lab)
    print(found)


if __name__ == "__main__":
    main()
