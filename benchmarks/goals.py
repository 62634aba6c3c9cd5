"""Goals of the benchmark, with the value that each pass measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.measuring import Times
from benchmarks.plan import BM25, BOOSTED, CUTOFFS, WORKERS
from benchmarks.serving import MOVED, PAGE


def passes_of(times: dict[str, Any], task: str) -> list[Times]:
    """Return a task's times in each pass."""
    return [Times(**one) for one in times[task]]


def ratios(times: dict[str, Any], ours: str, theirs: str) -> list[tuple[float, float]]:
    """Return the ratios ours / theirs at p50 and at p95, in each pass."""
    pairs = zip(passes_of(times, ours), passes_of(times, theirs), strict=True)
    return [(a.p50 / b.p50, a.p95 / b.p95) for a, b in pairs]


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal for every pass: `values` of at most `limit`, or at least `limit` if `more`."""

    name: str
    limit: float
    values: list[float]
    unit: str = ""
    more: bool = False

    @property
    def met(self) -> bool:
        """True if every pass reaches the goal."""
        if self.more:
            return min(self.values) >= self.limit
        return max(self.values) <= self.limit

    def row(self) -> list[str]:
        """Return the name, limit, values and verdict as cells."""
        limit = f"{'≥' if self.more else '≤'} {self.limit:g}{self.unit}"
        shown = ", ".join(f"{value:.3g}" for value in self.values)
        return [self.name, limit, shown, "yes" if self.met else "**no**"]


def goals(results: dict[str, Any]) -> Iterator[Goal]:
    """Yield every goal of the stages that were measured."""
    if "query" in results:
        yield from _queries(results["query"]["times"])
    if "build" in results:
        yield from _build(results["build"])
    if "start" in results:
        yield from _start(results["start"])
    if "serve" in results:
        yield from _serve(results["serve"], results.get("query", {}).get("loads", []))
        if "query" in results:
            yield from _page(results["serve"]["page"], results["query"]["times"]["conclusions"])


BESIDE_LUCENE = (
    ("Eq. 1", BOOSTED, "plain", (0.5, 0.5)),
    ("Eq. 1", BOOSTED, "bm25", (0.45, 1.0)),
    ("BM25", BM25, "bm25", (0.6, 0.8)),
)
"""Our configuration, Lucene's way, and the largest ratio for each of CUTOFFS."""


def _queries(times: dict[str, Any]) -> Iterator[Goal]:
    for group, found in times.items():
        for what, config, mode, limits in BESIDE_LUCENE:
            for k, limit in zip(CUTOFFS, limits, strict=True):
                each = ratios(found, f"argsearch {config},{k}", f"Lucene {mode},{k}")
                name = f"{what} / Lucene {mode}, {group}, k={k}"
                limit = 1.0 if group == "paragraphs" else limit
                yield Goal(name, limit, [value for one in each for value in one])
    for peer, limit in ((f"elasticsearch {BOOSTED},10", 1 / 30), ("Lucene collector,10", 1 / 20)):
        if peer in times["touche"]:
            each = ratios(times["touche"], f"argsearch {BOOSTED},10", peer)
            name = peer.partition(" ")[0]
            yield Goal(f"Eq. 1 / Eq. 1 in {name}, touche, k=10, p50", limit, [p for p, _ in each])


def _build(found: dict[str, Any]) -> Iterator[Goal]:
    merged = [one["seconds_with_merge_to_one_segment"] for one in found["lucene"]]
    text = [a["seconds"] / b for a, b in zip(found["text"], merged, strict=True)]
    yield Goal("text index and store / Lucene's index in one segment, seconds", 1.0, text)
    cpu = [a["cpu"] / b["cpu"] for a, b in zip(found["text"], found["lucene"], strict=True)]
    yield Goal("the same, CPU seconds", 1.0, cpu)
    whole = found["whole"]
    yield Goal("whole build / Lucene's index, seconds", 4.0, [whole["seconds"] / merged[-1]])
    yield Goal("peak memory of the whole build", 2048, [whole["peak_mib"]], " MiB")
    size = whole["bytes"] / whole["corpus_bytes"]
    yield Goal("index and store / corpus, bytes", 1.0, [size])


def _start(found: dict[str, Any]) -> Iterator[Goal]:
    yield Goal("`from argsearch import Engine`", 300, [found["import_seconds"] * 1e3], " ms")
    yield Goal("opening an index", 100, [found["seconds"] * 1e3], " ms")
    yield Goal("resident after opening", 60, [found["opened_mib"]], " MiB")
    yield Goal(
        "`argsearch search` in a new process", 1000, [found["cold_search_seconds"] * 1e3], " ms"
    )


def _page(found: dict[str, Any], times: dict[str, Any]) -> Iterator[Goal]:
    """Yield goals for the page's requests, relative to the fastest pass of Lucene plain."""
    lucene = min(one.p50 for one in passes_of(times, "Lucene plain,10"))
    moved = found[MOVED]["p50"]
    yield Goal(f"over HTTP, one client: {MOVED}, p50", 60, [moved], " ms")
    for what in PAGE:
        limit, one = 8.0 if "both" in what else 1.3, found[what]
        name = f"over HTTP, unseen: {what} / Lucene plain, p50"
        yield Goal(name, limit, [one["p50"] / lucene])


def _serve(found: dict[str, Any], passes: list[dict[str, Any]]) -> Iterator[Goal]:
    one = [r["p50"] for r in found["loads"] if (r["clients"], r["group"]) == (1, "touche")]
    for name, inside in found["in_process"].items():
        if name in ("search", "answer"):
            limit = round(2 * inside + 1, 2)
            yield Goal(f"HTTP p50 at one client (2 × {name} in the process + 1)", limit, one, " ms")
    yield Goal("errors", 0, [float(sum(r["errors"] for r in found["loads"]))])
    own = [m["own"] for m in found["memory"][str(WORKERS)]]
    yield Goal("own memory of each of two workers", 80, own, " MiB")
    ours = f"argsearch, {WORKERS} workers"
    each = [p[ours][1]["per_second"] / p["elasticsearch"][1]["per_second"]
            for p in passes if "elasticsearch" in p]  # fmt: skip
    if each:
        yield Goal("requests/s / Elasticsearch's Eq. 1, 32 clients", 15, each, more=True)
