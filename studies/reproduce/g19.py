"""G19 (Gienapp 2019): z-nDCG, scores from comparisons, sparse designs, dimensions, agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from argsearch.lab import reproduction as made
from argsearch.lab.evaluation.tables import Grid
from argsearch.lab.judgements.webis import SCORES, WebisArgQuality, load
from studies.reproduce.table import Row, Table

SAMPLES = 10_000
EXPERIMENT = "argsearch experiment g19 --format markdown"
READINGS = {
    "z-ndcg": "The reading that comes closest: non-arguments gain 0, repeated documents count "
    "again, the ideal is the best 50 of the three lists together",
    "z-ndcg-worst": "The same, but a negative DCG is divided by the worst ranking's DCG",
    "z-ndcg-topic": "The same, with gains normalised within each topic",
    "z-ndcg-judged": "Another reading: the ideal is of the judged documents, each once",
    "z-ndcg-left-out": "Another reading: non-arguments left out of the lists",
    "z-ndcg-released": "Another reading: non-arguments at −4, as the released file has them",
}
"""Names and captions of `made.READINGS`, in their order."""


def tables(data: Path, quick: bool) -> Iterator[Table]:  # noqa: ARG001
    """The tables; all of them take seconds."""

    @cache
    def webis() -> WebisArgQuality:
        return load(data / "webis-argquality20")

    def printed(
        name: str, caption: str, columns: Row, grid: Callable[[], Grid], published: str = ""
    ) -> Table:
        """One that `argsearch experiment g19` prints too."""
        files = (published,) if published else ()
        return Table(name, caption, columns, lambda: grid().rows, EXPERIMENT, files, tolerance=0.01)

    columns = ("system", *SCORES)
    for (name, caption), reading in zip(READINGS.items(), made.READINGS.values(), strict=True):
        grid = partial(lambda one: made.z_ndcg_table(webis(), one, "", SAMPLES), reading)
        yield printed(name, caption, columns, grid, "g19-table6.2-z-ndcg.tsv")
    yield printed(
        "relevance",
        "Relevance from the raw votes, with the mean vote of non-arguments too",
        made.RELEVANCE_HEADER,
        lambda: made.relevance_table(webis(), SAMPLES),
        "g19-table6.2-z-ndcg.tsv",
    )
    yield printed(
        "scores",
        "Pearson's r of scores fitted from the 3 × 13,952 comparisons with the published scores",
        made.SCORES_HEADER,
        lambda: made.scores_table(webis()),
    )
    yield printed(
        "designs-simulated",
        "Simulated: mean r of a design with all votes (published), share of the votes",
        ("annotators", *(f"{k} groups" for k in made.CORRELATIONS)),
        lambda: made.sampling_table(webis(), made.Sampling()),
        "g19-table4.2-designs.tsv",
    )
    yield printed(
        "words",
        "Mean words of what each system retrieves, a repeated document counted again",
        ("system", "measured", "published"),
        lambda: made.words_table(webis()),
    )
    yield printed(
        "dimensions",
        "Quality dimensions, length and agreement",
        ("what", "measured", "published"),
        lambda: made.dimensions_table(webis()),
    )
