"""Engines whose scores cannot be compared with ours: only their speed is measured."""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

from argsearch.indexer.analysis.batch import tokenize
from benchmarks import corpora
from benchmarks.measuring import Times, job, say
from benchmarks.plan import CUTOFFS, Plan


def measure(plan: Plan) -> dict[str, Any]:
    """Of each engine that is installed: `times` by task, and how it was `built`."""
    times: dict[str, Any] = {}
    built: dict[str, Any] = {}
    for name, options in plan.others.items():
        if find_spec(name) is None:
            say(f"left out: {name} is not installed (the extra `bench`)")
            continue
        say(f"{name} (other scores, so only its speed)")
        answer = job(
            name,
            corpus=str(corpora.texts(plan.corpus)),
            queries=[question.text for question in corpora.touche()],
            ks=CUTOFFS,
            rounds=plan.server_rounds,
            **options,
        )
        found = answer.pop("times")
        times |= {f"{name},{k}": [asdict(Times.of(rounds))] for k, rounds in found.items()}
        built[name] = answer
    return {"times": times, "built": built}


def tokens(corpus: Path) -> tuple[list[list[int]], list[str]]:
    """Token numbers of each text, as this project finds them, and the words by their numbers."""
    with corpus.open("rb") as stream:
        batch = tokenize([orjson.loads(line)["text"] for line in stream])
    ids, bounds = batch.ids.tolist(), batch.offsets.tolist()
    return [ids[a:b] for a, b in pairwise(bounds)], [term.decode() for term in batch.terms]
