"""Sweeps of experiments on the sample corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.experiment import ExperimentError
from tests.lab.experiments import HEAD, SAMPLE, SWEEP, Observer, run, seeded, table


@pytest.mark.thorough
@pytest.mark.parametrize("ties", ["id", "trec_eval"])
def test_a_sweeps_cells_are_the_systems(folder: Path, kept: Path, ties: str) -> None:
    """Ranked in memory or written to a run file and read again: the same values."""
    head = HEAD.replace("samples =", f'ties = "{ties}"\nsamples =')
    systems = """
    [[systems]]
    config = "dirichlet"
    [[systems]]
    name = "cell"
    config = "dirichlet"
    set = { boost.quality = 2, boost.cluster = 1.0 }
    """
    (group,) = run(head + systems, folder, kept).groups
    (found,) = run(head + SWEEP, folder, kept).maps
    assert found.cells == ((0, 0), (0, 1.0), (2, 0), (2, 1.0))
    assert len(found.columns) == 8
    for i, column in enumerate(found.columns):
        evaluation = group.evaluations[column.judged_only]
        for values, name in ((found.scores[3], "cell"), (found.baseline, "dirichlet")):
            topics = evaluation.score(name, column.measure, column.judgements).topics
            assert values[:, i].tolist() == [topics[query] for query in found.queries]
    assert np.array_equal(found.scores[0], found.baseline)


@pytest.mark.thorough
def test_seeds_are_averaged_and_choice_is_held_out(folder: Path, kept: Path) -> None:
    one, two, both = (
        run(seeded(seeds) + SWEEP, folder, kept).maps[0] for seeds in ([0], [1], [0, 1])
    )
    assert not np.array_equal(one.scores, two.scores)
    np.testing.assert_allclose(both.scores, (one.scores + two.scores) / 2, atol=1e-12)
    spread = np.abs(one.means() - two.means()) / 2
    np.testing.assert_allclose(both.spread, spread, atol=1e-12)
    assert not both.spread[0].any()
    assert sorted(np.bincount(both.fold).tolist()) == [5, 5, 5, 5]
    cell, held = both.best(0)
    assert both.means()[cell, 0] == both.means()[:, 0].max()
    for fold in range(4):
        rest = both.scores[:, both.fold != fold, 0].mean(axis=1)
        assert set(held.chosen[both.fold == fold]) == {int(np.argmax(rest))}
    rows = table(folder / "out/sweep.csv")
    assert len(rows) == 4 * 8
    report = (folder / "out/report.md").read_text()
    assert "tuned for each measure (4 folds)" in report
    assert "one choice for all measures, without a loss where possible" in report


@pytest.mark.thorough
def test_a_sweep_over_index_keys_builds_their_indexes(folder: Path, kept: Path) -> None:
    text = HEAD + "[sweep.axes]\nboost.cluster = [1]\nindex.clusters = [2, 30]\n"
    observer = Observer()
    (found,) = run(text, folder, kept, observer).maps
    assert observer.begun("index of") == 1  # two indexes, told of under one name
    assert found.labels == ["cluster", "clusters"]
    assert not np.array_equal(found.scores[0], found.scores[1])


@pytest.mark.thorough
def test_a_sweep_needs_judged_topics_and_fitting_folds(folder: Path, kept: Path) -> None:
    (folder / "one.qrels").write_text("1 0 a 1\n99 0 b 1\n")
    few = HEAD.replace(f"{SAMPLE}/quality.qrels", "one.qrels")
    with pytest.raises(ExperimentError, match="2 judged topics, but quality judges 1 of topics"):
        run(few + SWEEP, folder, kept)
    for folds in (1, 21):
        with pytest.raises(InvalidParameter, match=rf"sweep.folds must be 0 .* to 20, not {folds}"):
            run(HEAD + SWEEP.replace("folds = 4", f"folds = {folds}"), folder, kept)


@pytest.mark.thorough
def test_partly_judged_topics_count_where_they_are_judged(folder: Path, kept: Path) -> None:
    lines = (SAMPLE / "quality.qrels").read_text().splitlines(True)
    (folder / "half.qrels").write_text("".join(x for x in lines if int(x.split()[0]) <= 10))
    half = HEAD.replace(f"{SAMPLE}/quality.qrels", "half.qrels")
    (found,) = run(half + SWEEP, folder, kept).maps
    (whole,) = run(HEAD + SWEEP, folder, kept).maps
    assert found.queries == whole.queries
    quality = [i for i, column in enumerate(found.columns) if column.judgements == "quality"]
    assert np.isnan(found.scores[:, 10:, quality]).all()
    assert np.array_equal(found.scores[:, :10], whole.scores[:, :10])
