"""Stage: measure how long building takes, compared with Lucene on as many threads."""

from __future__ import annotations

import shutil
import time
from typing import Any

from benchmarks import corpora, lucene_peer
from benchmarks.jobs import processor_seconds
from benchmarks.measuring import job, say
from benchmarks.plan import TEXT_ONLY, WORKERS, Plan

PARTS = ("near_duplicates", "counter", "premises", "meaning")
"""Parts to add before changing a large corpus. `pairs` is left out, since it takes minutes."""


def measure(plan: Plan) -> dict[str, Any]:
    """Measure seconds, memory and bytes of each build. The text index and Lucene take turns.

    Our build reads, parses and checks the corpus, stores compressed documents and computes
    checksums. Lucene gets parsed texts in memory and stores no documents.
    """
    texts = corpora.texts(plan.corpus)
    text, lucene = [], []
    for number in range(plan.passes):
        say(f"build {number + 1} of {plan.passes}: text index")
        text.append(ours(plan, "text", TEXT_ONLY))
        say(f"build {number + 1} of {plan.passes}: Lucene")
        lucene.append(_lucene(plan, texts))
    say("build: whole index, with clusters, quality and the premises' vectors")
    whole = ours(plan, "argsearch", (), "default")
    changed = {}
    for name, parts in (("the default's parts", ()), ("with four more", PARTS)):
        say(f"build: documents added to the whole index and removed from it, {name}")
        asked = {"corpus": str(plan.corpus), "workers": WORKERS, "parts": parts}
        out = str(plan.folder / "changed")
        found = job("change_index", index=str(plan.index), out=out, **asked)
        changed[name] = found["changes"]
    return {"text": text, "lucene": lucene, "whole": whole, "changed": changed}


def ours(
    plan: Plan, name: str, overrides: tuple[str, ...], config: str = "dirichlet"
) -> dict[str, Any]:
    """Build this engine's index `name` in the plan's folder, and return the job's measurements."""
    out = plan.folder / name
    shutil.rmtree(out, ignore_errors=True)
    built: dict[str, Any] = job(
        "build_index",
        corpus=str(plan.corpus),
        out=str(out),
        overrides=overrides,
        workers=WORKERS,
        config=config,
    )
    return built


def _lucene(plan: Plan, texts: Any) -> dict[str, Any]:
    out = plan.folder / "lucene-build"
    shutil.rmtree(out, ignore_errors=True)
    begun, before = time.perf_counter(), processor_seconds()
    report = lucene_peer.build(texts, out, threads=WORKERS)
    wall, cpu = time.perf_counter() - begun, processor_seconds() - before
    return {**report, "wall": wall, "cpu": cpu}
