"""How many members the clusters of claims and of premises have, beside the published ones (D20).

    python -m studies.cluster_sizes INDEX --picture docs/cluster-sizes.svg

INDEX has the part `vectors`, as an index built by default has. Both trees are cut at the published
count (n / 5.5 clusters) and at a distance of .5. The picture needs the extra `plots`: for each
size the share of clusters that are at least so large, and what D20 states of its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format import parts as layout
from argsearch.indexer.format.arrays import open_arrays
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.parts.base import PartSource
from argsearch.indexer.parts.premises.part import (
    ClaimReading,
    Distances,
    Stored,
    build_claims,
    documents,
)
from argsearch.lab.experiment.plots import draw, new_figure
from benchmarks.measuring import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Sizes = dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]
"""The members of each claim's cluster and of each premise's, by the cut."""
SIDES = ("claims", "premises")
DISTANCE = 0.5
PUBLISHED = {"claims": (13_031, 5.53, 5, 2, 33), "premises": (70_314, 5.51, 5, 1, 1_867)}
"""Clusters, mean, median, smallest and largest of args.me (D20)."""


class Unscored:
    """All premises are equal: sizes need no scores."""

    dimensions = ("none",)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[n, 1]."""
        return np.zeros((len(texts), 1), np.float32)


def opened(index: Path) -> PartSource:
    """An index and its part `vectors`."""
    arrays, manifest = open_arrays(index)
    vectors = {"vectors": layout.open_part(index, manifest, "vectors", 1)}
    return PartSource(arrays, manifests.read(index), DocumentStore(arrays), vectors)


def sizes(source: PartSource, distances: Distances) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Members of each cluster: int64[claims' clusters], int64[premises' clusters]."""
    encoder = load_encoder(source.manifest["encoder"])
    stored = Stored(encoder, source.open["vectors"])
    read = documents(source, stored, lambda *_: None)
    how = ClaimReading(encoder, Unscored(), distances, embed=stored.embed)  # type: ignore[arg-type]
    made = build_claims(read, how).arrays
    return np.bincount(made.claim_cluster), np.bincount(made.premise_cluster)


def table(found: Sizes) -> Iterator[str]:
    """Each side's published numbers, then those of each cut."""
    yield "| | n | clusters | mean | median | min | max |\n|---|---|---|---|---|---|---|"
    for at, side in enumerate(SIDES):
        count, *others = PUBLISHED[side]
        yield f"| {side}, published | | {count:,} | {' | '.join(f'{x:,}' for x in others)} |"
        for cut, both in found.items():
            s = both[at]
            stated = f"{s.mean():.2f} | {np.median(s):g} | {s.min()} | {s.max():,}"
            yield f"| {side}, {cut} | {s.sum():,} | {len(s):,} | {stated} |"


def picture(found: Sizes) -> Figure:
    """A part for claims and one for premises; sizes and shares on logarithmic axes."""
    figure, axes = new_figure(1, 2, 4.6, 3.6)
    for at, (axis, side) in enumerate(zip(axes, SIDES, strict=True)):
        for (cut, both), colour in zip(found.items(), ("#1f6f8b", "#9ccbd8"), strict=True):
            x, counts = np.unique(both[at], return_counts=True)
            share = counts[::-1].cumsum()[::-1] / counts.sum()
            axis.step(x, share, where="pre", color=colour, label=f"measured, {cut}")
        count, mean, median, least, most = PUBLISHED[side]
        stated = ([least, median, most], [1, 0.5, 1 / count])
        axis.scatter(*stated, color="#d9822b", marker="D", s=22, zorder=3,
                     label="published: smallest, median, largest")  # fmt: skip
        axis.axvline(mean, color="#d9822b", lw=0.8, ls=":", label=f"published mean, {mean}")
        axis.set(xscale="log", yscale="log", title=side, xlabel="members, at least")
        axis.set_ylabel("share of clusters")
        axis.legend(fontsize=7, frameon=False)
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Cluster under both cuts, print the table, draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("--picture", type=Path, help="the SVG that is written")
    given = parser.parse_args(arguments)
    source = opened(given.index)
    cuts: dict[str, Distances] = {
        "n / 5.5 clusters": (None, None),
        f"distance {DISTANCE:g}": (DISTANCE, DISTANCE),
    }
    found = {}
    for name, distances in cuts.items():
        found[name] = sizes(source, distances)
        say(name)
    print(*table(found), sep="\n")
    if given.picture:
        draw(lambda: picture(found), given.picture)


if __name__ == "__main__":
    main()
