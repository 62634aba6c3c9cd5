"""The pictures of docs/: made by their commands, the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.indexer.parts.pairs.comparing import BY_COSINE, BY_WORDS
from argsearch.lab.experiment.plots import draw
from studies import argument_graph, cluster_sizes
from studies.argument_graph import INTERPRETATIONS, Drawn, PairGraphs
from studies.judgements import Judged

matplotlib = pytest.importorskip("matplotlib", reason="install the extra `plots`")
QUESTION = "should zoos be closed"
LOOSE = (0.6, 0.1)


@pytest.mark.slow
def test_cluster_sizes_count_every_claim_and_premise(premises_index: Path, tmp_path: Path, capsys):
    source = cluster_sizes.opened(premises_index)
    said = source.manifest["parts"]["premises"]["settings"]
    claims, premises = cluster_sizes.sizes(source, (None, 0.6))
    assert (claims.sum(), len(claims)) == (said["claims"], said["claim_clusters"])
    assert (premises.sum(), len(premises)) == (said["premises"], said["premise_clusters"])
    made = []
    for name in ("a.svg", "b.svg"):
        cluster_sizes.main([str(premises_index), "--picture", str(tmp_path / name)])
        made.append((tmp_path / name).read_text())
    assert made[0] == made[1]
    assert "published mean, 5.53" in made[0]
    printed = capsys.readouterr().out
    assert f"| claims, n / 5.5 clusters | {said['claims']} | {said['claim_clusters']} |" in printed


@pytest.mark.slow
@pytest.mark.thorough
def test_the_graph_of_a_topic_is_ranked_as_the_stage_does(sample_index: Path, tmp_path: Path):
    with Engine.open(sample_index) as engine:
        graph = Drawn.of(engine, QUESTION, LOOSE)
        assert graph.edges.sum() > 5
        over = ["rerank.stages=['graph']", "rerank.graph.mu=0.5"]
        over += [f"rerank.graph.cosine={LOOSE[0]}", f"rerank.graph.similarity={LOOSE[1]}"]
        found = engine.search(QUESTION, k=1000, overrides=over)
        assert graph.ranked(0.5) == found.hits.ids
    counts = graph.counts({graph.ids[0]: 2, graph.ids[1]: 0})
    assert counts[0] == graph.edges.sum()
    assert counts[3] == graph.edges.any(axis=0).sum()
    made = []
    for name in ("a.svg", "b.svg"):
        draw(lambda: argument_graph.picture(graph, {graph.ids[0]: 2}), tmp_path / name)
        made.append((tmp_path / name).read_text())
    assert made[0] == made[1]
    assert QUESTION in made[0]


@pytest.mark.thorough
def test_degrees_are_of_each_condition_alone(tmp_path: Path):
    found = np.zeros((4, 4), np.uint8)
    found[0, 1], found[2, 1], found[0, 3] = BY_COSINE | BY_WORDS, BY_WORDS, BY_WORDS
    made = []
    for name in ("a.svg", "b.svg"):
        draw(PairGraphs([found]).picture, tmp_path / name)
        made.append((tmp_path / name).read_text())
    assert made[0] == made[1]
    assert all(title in made[0] for title in INTERPRETATIONS.values())


def test_measures_of_a_perfect_and_an_empty_run():
    lab = Judged({"1": QUESTION, "2": "none"}, {"1": {"a": 2, "b": 0}, "2": {"c": 1}})
    values = argument_graph.measured(lab, {"1": ["a", "x", "b"], "2": []})
    assert np.array_equal(values, [[1, 1, 1, 1], [0, 0, 0, 0]])
