"""Format the measurements as Markdown tables, for the documentation and the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.corpora import WORDS
from benchmarks.goals import goals, passes_of
from benchmarks.jobs import CHANGED
from benchmarks.measuring import median_times
from benchmarks.plan import CUTOFFS, FULL

MIB = 1 << 20
GROUPS = {
    "touche": "the 50 titles of Touché 2020",
    "conclusions": "random conclusions, which nothing was tuned to",
    "paragraphs": f"{WORDS} words of random posts",
}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown. All columns except the first are numbers."""
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, marks, *rows]) + "\n"


def times_of(results: dict[str, Any], group: str) -> dict[str, Any]:
    """Return the times of every engine that answered a group of queries."""
    others = results.get("others", {}).get("times", {}) if group == "touche" else {}
    return {**results["query"]["times"][group], **others}


def _queries(times: dict[str, Any]) -> str:
    rows = []
    for task in sorted(times, key=lambda name: (int(name.rpartition(",")[2]), name)):
        found = median_times(passes_of(times, task))
        name, _, k = task.rpartition(",")
        base = passes_of(times, f"Lucene bm25,{k}")
        by_pass = [t.p50 / b.p50 for t, b in zip(passes_of(times, task), base, strict=False)]
        numbers = found.p50, found.p95, sorted(by_pass)[len(by_pass) // 2]
        rows.append([name, k, *(f"{value:.2f}" for value in numbers)])
    return table(["who", "k", "p50 ms", "p95", "/ Lucene bm25's p50"], rows)


def _models(times: dict[str, dict[str, float]]) -> str:
    """Return a table of each similarity's median, pruned and, for k = 10, with every posting."""
    rows = []
    for name in dict.fromkeys(task.partition(",")[0] for task in times):
        tasks = [f"{name}, pruned,{k}" for k in CUTOFFS] + [f"{name}, every posting,{CUTOFFS[0]}"]
        rows.append([name, *(f"{times[task]['p50']:.2f}" for task in tasks)])
    return table(["similarity, p50 ms", "k = 10", "k = 1000", "k = 10, every posting"], rows)


def _build_row(name: str, built: dict[str, Any], base: float) -> list[str]:
    peak = f"{built['peak_mib']:.0f} + {built['worker_mib']:.0f}" if "peak_mib" in built else "-"
    return [
        name,
        f"{built['seconds']:.1f}",
        f"{built['seconds'] / base:.2f}",
        f"{built['cpu']:.1f}" if "cpu" in built else "-",
        peak,
        f"{built['bytes'] / MIB:.0f}",
    ]


def _builds(found: dict[str, Any], others: dict[str, Any]) -> str:
    lucene = found["lucene"]
    bases = [one["seconds_with_merge_to_one_segment"] for one in lucene]
    rows = []
    for i, (ours, theirs) in enumerate(zip(found["text"], lucene, strict=True)):
        which = f", pass {i + 1}" if len(lucene) > 1 else ""
        indexed = {key: value for key, value in theirs.items() if key != "cpu"}
        merged = {**indexed, "seconds": bases[i]}
        rows += [
            _build_row(f"Lucene, text index{which}", indexed, bases[i]),
            _build_row("the same, merged to one segment", merged, bases[i]),
            _build_row(f"argsearch, text index and store{which}", ours, bases[i]),
        ]  # fmt: skip
    rows.append(
        _build_row(
            "argsearch, whole: clusters, quality, vectors (not in MiB)", found["whole"], bases[-1]
        )
    )
    for name, built in others.items():
        rows.append(_build_row(f"{name}, tokens given by argsearch", built, bases[-1]))
    head = ["who", "seconds", "/ Lucene merged", "CPU seconds"]
    head += ["peak MiB (+ largest worker)", "MiB on disk"]
    corpus = found["whole"]["corpus_bytes"] / MIB
    said = f"\nThe uncompressed corpus has {corpus:.0f} MiB.\n"
    return table(head, rows) + said + _changes(found["changed"])


def _changes(found: dict[str, dict[str, dict[str, float]]]) -> str:
    """Return a table of adding parts to the whole index, and of changes without and with parts."""
    said = {
        "added": f"`add` of {CHANGED:,} documents",
        "removed": "`remove` of them",
        "compared": "`index` over an index of the same corpus",
    }
    rows = [
        [said.get(what, what), name, f"{took['seconds']:.1f}", f"{took['cpu']:.1f}"]
        for name, changes in found.items()
        for what, took in changes.items()
    ]
    return "\n" + table(["change of the whole index", "parts", "seconds", "CPU seconds"], rows)


def _start(found: dict[str, Any]) -> str:
    rows = [
        ["first answer in the process", f"{found['first_answer_seconds'] * 1e3:.0f} ms"],
        ["resident after the first answer", f"{found['answered_mib']:.0f} MiB"],
    ]
    return table(["start", "median"], rows)


def _load_row(who: str, one: dict[str, Any]) -> list[str]:
    numbers = [f"{one[key]:.1f}" for key in ("per_second", "p50", "p95")]
    return [who, str(one["clients"]), *numbers]


def _serve(found: dict[str, Any], passes: Sequence[dict[str, Any]]) -> str:
    rows = [
        _load_row(f"argsearch, {one['workers']} worker(s), {one['group']}", one)
        for one in found["loads"]
    ]
    for i, loads in enumerate(passes):
        for name, measured in loads.items():
            which = f", pass {i + 1}" if len(passes) > 1 else ""
            rows += [_load_row(f"{name}, touche{which}", one) for one in measured]
    text = table(["Eq. 1, k = 10", "clients", "requests/s", "p50 ms", "p95"], rows)
    page = [[what, f"{one['p50']:.1f}", f"{one['p95']:.1f}"] for what, one in found["page"].items()]
    head = ["requests of the page, one client, new questions (but for the slider)", "p50 ms", "p95"]
    text += "\n" + table(head, page)
    inside = found["in_process"]
    text += f"\nIn the process: {inside['search']:.2f} ms a search, {inside['answer']:.2f} ms with "
    text += "documents, best sentences, total and JSON (medians, touche).\n"
    for workers, memory in found["memory"].items():
        each = ", ".join(f"{m['own']:.0f} ({m['proportional']:.0f})" for m in memory)
        text += (
            f"\nMiB of each process that answers, {workers} worker(s), its own (and its share of "
        )
        text += f"memory shared with others): {each}.\n"
    return text


def _scale(rows: Sequence[dict[str, Any]]) -> str:
    head = ["documents", "postings of a query", "p50 ms k=10", "k=1000"]
    head += ["build s", "build peak MiB", "resident after queries MiB", "open ms"]
    lines = []
    for row in rows:
        small, large = row[str(CUTOFFS[0])], row[str(CUTOFFS[1])]
        built = row["build"]
        line = [f"{row['documents']:,}", f"{small['postings']:,.0f}"]
        line += [f"{small['p50']:.2f}", f"{large['p50']:.2f}", f"{built['seconds']:.1f}"]
        line += [f"{built['peak_mib']:.0f}", f"{row['resident_mib']:.0f}"]
        lines.append([*line, f"{row['open']['seconds'] * 1e3:.0f}"])
    return table(head, lines)


def text(results: dict[str, Any]) -> str:
    """Return the whole report as text."""
    machine = results["machine"]
    parts = [
        "# Measured\n",
        f"{results['documents']:,} forum posts, {machine['cores']} cores, {machine['memory']:.0f} "
        f"GiB, load {machine['load']:.1f} when it began, {machine['date']}. Written by "
        "`python -m benchmarks`; [Speed](../performance.md) explains the rows. Ratios to "
        "Lucene are at p50 and p95.\n",
    ]
    rows = [goal.row() for goal in goals(results)]
    parts += ["## Goals\n", table(["what", "goal", "measured", "met"], rows)]
    if results["documents"] != FULL.documents:
        parts += [f"The goals are set for {FULL.documents:,} documents.\n"]
    if query := results.get("query"):
        agreed = dict[str, list[str]]()
        for who, n in query["compared"].items():
            name, _, k = who.rpartition(", k=")
            agreed.setdefault(f"{n} queries, k = {k}", []).append(name)
        lines = [f"* {what}: {', '.join(names)}" for what, names in agreed.items()]
        parts += ["## Equal answers\n", "Same documents, same scores:\n", *lines, ""]
        for group, name in GROUPS.items():
            parts += [f"## Queries: {name}\n", _queries(times_of(results, group))]
        if models := query.get("models"):
            parts += ["## Every similarity\n", _models(models)]
    if build := results.get("build"):
        parts += ["## Building\n", _builds(build, results.get("others", {}).get("built", {}))]
    if start := results.get("start"):
        parts += ["## Starting\n", _start(start)]
    if serve := results.get("serve"):
        parts += ["## Serving\n", _serve(serve, (query or {}).get("loads", []))]
    if scale := results.get("scale"):
        parts += ["## Growing\n", _scale(scale)]
    return "\n".join(parts)
