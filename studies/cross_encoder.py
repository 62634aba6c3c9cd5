"""A cross-encoder in the re-ranking socket, on topics that it never saw.

    python -m studies.cross_encoder --data "$ARGSEARCH_DATA" --index INDEX --body FOLDER \
        --models FOLDER --out docs/reranking.md

The body is a sentence encoder's folder (all-MiniLM-L6-v2 in what docs/reranking.md says). It reads
question and argument as one, and learns twice: which premises are a conclusion's, from the index's
own arguments without a judgement; then, three times, the grades of two thirds of Touché 2020's
topics. Each topic is re-ranked by the model that saw neither it nor its grades, once as a Python
callable and once over HTTP.
"""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from sentence_transformers import CrossEncoder

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from studies.effectiveness import LABELS, renew
from studies.judgements import Judged
from studies.recombining import Floats, judged_values
from studies.reranked import cell, gain

Pairs = list[tuple[str, str, float]]
FOLDS, TOKENS, BATCH, RATE = 3, 128, 16, 1e-4
FROZEN = 3
"""Of the body's layers, with the embeddings: two cores have to be enough."""
HOSTED = 5
"""Topics that are asked over HTTP too, to see that the order is the same."""


def text_of(engine: Engine, id: str) -> str:
    """What the stage `external` hands over of an argument."""
    argument = engine.argument(id)
    return "\n".join(filter(None, (argument.conclusion, argument.premise))) if argument else ""


def conclusions(engine: Engine, random: Random, most: int = 1_000) -> Pairs:
    """Conclusions with their own premises (1) and with those of another conclusion (0)."""
    assert engine.backend.directory is not None
    backend = engine.backend.directory
    every = (backend.store[doc] for doc in range(backend.documents))
    found = [one for one in every if one.conclusion and len(one.premise) > 200]
    found = random.sample(found, min(most, len(found)))
    others = random.sample(found, len(found))
    pairs = [(str(one.conclusion), one.premise, 1.0) for one in found]
    return pairs + [
        (str(one.conclusion), other.premise, 0.0)
        for one, other in zip(found, others, strict=True)
        if one.conclusion != other.conclusion
    ]


def train(model: CrossEncoder, pairs: Pairs, seed: int) -> CrossEncoder:
    """One pass of binary cross-entropy by AdamW, at a falling rate."""
    torch.manual_seed(seed)
    network: Any = model[0].model
    tokenizer: Any = model.tokenizer
    for part in (network.bert.embeddings, *network.bert.encoder.layer[:FROZEN]):
        part.requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in network.parameters() if p.requires_grad], lr=RATE)
    order = Random(seed).sample(pairs, len(pairs))
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, len(batches))
    options = {"truncation": "longest_first", "max_length": TOKENS, "padding": True}
    network.train()
    for batch in batches:
        asked, texts, labels = (list(column) for column in zip(*batch, strict=True))
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(**tokenizer(asked, texts, return_tensors="pt", **options)).logits
        loss: Any = torch.nn.functional.binary_cross_entropy_with_logits(
            logits[:, 0].float(), torch.tensor(labels)
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        falling.step()
    network.eval()
    return model


def models(engine: Engine, judged: Judged, body: Path, folder: Path) -> dict[str, CrossEncoder]:
    """For each topic the model that never saw it; those that `folder` holds are taken."""
    first = folder / "conclusions"
    if not first.exists():
        model = CrossEncoder(str(body), num_labels=1, max_length=TOKENS)
        train(model, conclusions(engine, Random(0)), 0).save_pretrained(str(first))
    topics = Random(0).sample(list(judged.topics), len(judged.topics))
    found: dict[str, CrossEncoder] = {}
    for fold in range(FOLDS):
        held, saved = topics[fold::FOLDS], folder / f"fold-{fold}"
        if not saved.exists():
            pairs = [
                (judged.topics[query], text_of(engine, id), grade / 2)
                for query in topics
                if query not in held
                for id, grade in judged.grades.get(query, {}).items()
            ]
            model = CrossEncoder(str(first), num_labels=1, max_length=TOKENS)
            train(model, pairs, fold).save_pretrained(str(saved))
        model = CrossEncoder(str(saved), max_length=TOKENS)
        found |= {judged.topics[query]: model for query in held}
    return found


CHOSEN: dict[str, CrossEncoder] = {}
"""The model of each question: what `score` asks."""


def score(question: str, texts: Sequence[str]) -> list[float]:
    """The Python side of the socket."""
    pairs = [(question, text) for text in texts]
    with torch.autocast("cpu", torch.bfloat16):
        scores = CHOSEN[question].predict(pairs, show_progress_bar=False, convert_to_tensor=True)
    return [float(one) for one in scores]


class Hosted(BaseHTTPRequestHandler):
    """The HTTP side of the socket: `query` and `documents` in, `index`, `relevance_score` out."""

    def do_POST(self) -> None:
        """Best first, as hosted re-rankers answer."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        scores = enumerate(score(asked["query"], asked["documents"]))
        best = sorted(scores, key=lambda one: -one[1])
        found = [{"index": index, "relevance_score": value} for index, value in best]
        body = json.dumps({"results": found}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def measured(
    engine: Engine, judged: Judged, model: str | None, topics: Sequence[str]
) -> tuple[Floats, list[list[str]]]:
    """float64[topics, 4] as `judged_values` has them, and the first 100 ids of every topic."""
    own = ("rerank.stages=['external']", "rerank.external.seconds=600")
    settings = (*own, f"rerank.external.model={model}") if model else ()
    config, values, ids = load_config("default", settings), [], []
    for query in topics:
        grades = judged.grades[query]
        hits = engine.search(judged.topics[query], k=1000, config=config).hits.ids
        gains = np.array([grades.get(id, np.nan) for id in hits], np.float64)
        values.append(judged_values(gains, -np.sort(-np.array(list(grades.values()), float))[:10]))
        ids.append(hits[:100])
    return np.array(values), ids


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name in ("data", "index", "body", "models"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="page whose part between the markers is renewed")
    options = parser.parse_args(arguments)
    with Engine.open(options.index) as engine, HTTPServer(("127.0.0.1", 0), Hosted) as server:
        judged = Judged.read(options.data, engine)
        CHOSEN.update(models(engine, judged, options.body, options.models))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        topics = list(judged.grades)
        base, _ = measured(engine, judged, None, topics)
        values, ids = measured(engine, judged, "studies.cross_encoder:score", topics)
        address = f"http://127.0.0.1:{server.server_port}"
        _, hosted = measured(engine, judged, address, topics[:HOSTED])
        server.shutdown()
    same = "the same order" if hosted == ids[:HOSTED] else "another order"
    rows = [f"| system | {' | '.join(LABELS[:4])} |\n|---|{'---|' * 4}"]
    for name, columns in (("default", base), ("external, a cross-encoder", values)):
        rows.append(f"| {name} | {' | '.join(cell(column) for column in columns.T)} |")
    pairs = zip(values.T, base.T, strict=True)
    rows.append(f"| difference | {' | '.join(gain(a, b) for a, b in pairs)} |")
    text = "\n".join([*rows, "", f"Over HTTP, {HOSTED} topics: {same}."]) + "\n"
    print(text)
    if options.out:
        renew(options.out, "cross-encoder", text)


if __name__ == "__main__":
    from studies import cross_encoder  # the module that the configuration names, not __main__

    cross_encoder.main()
