"""Stages: measure starting, serving over HTTP, and growing with the corpus."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import corpora, serving
from benchmarks.measuring import ROOT, Times, job, say
from benchmarks.plan import BOOSTED, CUTOFFS, WORKERS, Plan

QUERY = "should teachers get tenure"


def start(plan: Plan) -> dict[str, Any]:
    """Return median times of the import, of opening an index, and of a search in a new process."""
    say("starting cold processes")
    imports = [job("import_engine")["seconds"] for _ in range(plan.cold_runs)]
    opened = [job("open_index", index=str(plan.index)) for _ in range(plan.cold_runs)]
    cold = [_cold_search(plan.index) for _ in range(plan.cold_runs)]
    keys = opened[0].keys()
    return {
        "import_seconds": median(imports),
        "cold_search_seconds": median(cold),
        **{key: median(one[key] for one in opened) for key in keys},
    }


def _cold_search(index: Path) -> float:
    command = [sys.executable, "-m", "argsearch", "search", QUERY, "--index", str(index)]
    begun = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - begun


def serve(plan: Plan) -> dict[str, Any]:
    """Measure loads on one and two workers, answers in the process, and the page's requests."""
    rows: list[dict[str, Any]] = []
    memory: dict[str, list[dict[str, float]]] = {}
    for group, questions in plan.questions().items():
        for workers in (1, WORKERS):
            say(f"serving with {workers} worker(s): {group}")
            seen, used = serving.loads(plan.index, workers, plan.load_seconds, questions)
            rows += [{"workers": workers, "group": group, **one} for one in seen]
            memory.setdefault(str(workers), []).extend(used)
    texts = [question.text for question in corpora.touche()]
    answers = job("answer_in_process", index=str(plan.index), queries=texts, config=BOOSTED)
    say("serving what the page asks, to questions that nobody has asked")
    job("add_part", index=str(plan.index), part="near_duplicates", workers=WORKERS)
    page = serving.page(plan.index, plan.load_seconds, plan.questions()["conclusions"])
    return {"loads": rows, "memory": memory, "in_process": answers, "page": page}


def scale(plan: Plan) -> list[dict[str, Any]]:
    """Measure each size of corpus: build, opening, query times and postings."""
    found = []
    texts = [question.text for question in corpora.touche()]
    tasks = [(BOOSTED, k) for k in CUTOFFS]
    for documents in plan.scaling:
        say(f"scaling: {documents:,} documents")
        index = str(plan.folder / f"scaling-{documents}")
        shutil.rmtree(index, ignore_errors=True)
        corpus = str(corpora.posts(documents))
        built = job("build_index", corpus=corpus, out=index, overrides=(), workers=WORKERS)
        timed = job("query_engine", index=index, queries=texts, tasks=tasks, rounds=plan.rounds)
        row = {"documents": documents, "build": built, "open": job("open_index", index=index)}
        for config, k in tasks:
            times = Times.of(timed["times"][f"{config},{k}"])
            answer = job("answer_engine", index=index, queries=texts, config=config, k=k)
            total, read = (median(column) for column in zip(*answer["postings"], strict=True))
            row[str(k)] = {"p50": times.p50, "p95": times.p95, "postings": total, "read": read}
        row["resident_mib"] = timed["resident_mib"]
        shutil.rmtree(index)
        found.append(row)
    return found
