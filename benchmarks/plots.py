"""Plots of what was measured: query times beside the peers, and growth with the corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.measuring import median_times
from benchmarks.plan import CUTOFFS
from benchmarks.report import passes_of, times_of


def draw(results: dict[str, Any], folder: Path) -> list[Path]:
    """Write the plots that the results allow; their paths."""
    import matplotlib as mpl

    mpl.use("Agg")
    made = []
    if "query" in results:
        made.append(_queries(times_of(results, "touche"), folder / "queries.png"))
    if scale := results.get("scale"):
        made.append(_scale(scale, folder / "scaling.png"))
    return made


def _queries(times: dict[str, Any], path: Path) -> Path:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(CUTOFFS), figsize=(11, 4.5), sharex=True)
    for axis, k in zip(axes, CUTOFFS, strict=True):
        tasks = [task for task in times if task.endswith(f",{k}")]
        found = {task.rpartition(",")[0]: median_times(passes_of(times, task)) for task in tasks}
        names = sorted(found, key=lambda name: -found[name].p50)
        colours = ["#1f6f8b" if name.startswith("argsearch") else "#b8b8b8" for name in names]
        axis.barh(names, [found[name].p50 for name in names], color=colours)
        axis.scatter([found[name].p95 for name in names], names, color="black", marker="|", s=80)
        axis.set_xscale("log")
        axis.set_title(f"k = {k}")
        axis.set_xlabel("milliseconds a query: bar p50, mark p95")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def _scale(rows: list[dict[str, Any]], path: Path) -> Path:
    from matplotlib import pyplot as plt

    sizes = [row["documents"] for row in rows]
    figure, axes = plt.subplots(1, 4, figsize=(16, 4))
    for k in CUTOFFS:
        axes[0].plot(sizes, [row[str(k)]["p50"] for row in rows], "o-", label=f"k = {k}, p50")
        axes[0].plot(sizes, [row[str(k)]["p95"] for row in rows], "o--", label=f"k = {k}, p95")
        axes[1].plot(sizes, [row[str(k)]["read"] for row in rows], "o-", label=f"read, k = {k}")
    axes[1].plot(sizes, [row["10"]["postings"] for row in rows], "o-", label="of the query's terms")
    axes[2].plot(sizes, [row["build"]["seconds"] for row in rows], "o-")
    axes[3].plot(sizes, [row["build"]["peak_mib"] for row in rows], "o-", label="peak of the build")
    axes[3].plot(sizes, [row["resident_mib"] for row in rows], "o-", label="after the queries")
    titles = ["milliseconds a query", "postings a query", "seconds to build", "MiB resident"]
    for axis, title in zip(axes, titles, strict=True):
        axis.set_title(title)
        axis.set_xlabel("documents")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.grid(alpha=0.3)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
