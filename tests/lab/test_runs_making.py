"""From topics to runs: the order of equal scores, the text searched for, the stages described."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.lab.runs import Topic, read_run, write_run
from argsearch.lab.runs.making import rank_topics, stages

ROWS = st.dictionaries(
    st.sampled_from("abcdefghij"), st.sampled_from([3.0, 2.0, 1.0, 1.0 + 1e-12, 0.0]), min_size=1
)


@pytest.mark.thorough
@settings(max_examples=60)
@given(rows=ROWS)
def test_ties_are_ordered_as_trec_eval_reads_them(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, float]
) -> None:
    folder = tmp_path_factory.mktemp("ties")
    raw = "".join(f"1 Q0 {doc} 1 {score!r} t\n" for doc, score in rows.items())
    (folder / "raw.txt").write_text(raw)
    write_run(folder / "run.txt", [("1", list(rows), list(rows.values()))], "t", ties="trec_eval")
    written = read_run(folder / "run.txt")
    assert written.remarks == []
    assert written.rankings["1"].ids == read_run(folder / "raw.txt").rankings["1"].ids


def test_the_text_that_is_searched_for(sample_index: Path) -> None:
    engine, config = Engine.open(sample_index), load_config("dirichlet")
    topics = [Topic("1", "school uniforms", "teacher tenure"), Topic("2", "zoos")]
    told: list[int] = []
    found = {
        field: list(
            rank_topics(
                engine, topics, config, 5, field=field, progress=lambda done, _: told.append(done)
            )
        )
        for field in ("title", "description", "narrative")
    }
    texts = {"title": "school uniforms", "description": "teacher tenure"}
    for field, text in texts.items():
        hits = engine.search(text, k=5, config=config).hits
        wanted = ("1", hits.ids, [hit.score for hit in hits], ["Q0"] * len(hits))
        assert found[field][0] == wanted
    assert found["narrative"] == found["title"]
    assert found["description"][1] == found["title"][1]
    assert told == [1, 2] * 3


def test_stages_name_what_each_model_reads() -> None:
    (plain,) = stages(load_config("dirichlet"))
    assert (plain["name"], plain["method"]) == ("dirichlet", "DirichletLM")
    assert plain["parameters"]["mu"] == 2000.0
    assert "k1" not in plain["parameters"]
    overrides = ["retrieval.model=bm25", "boost.quality=1", "rerank.method=mmr"]
    config = load_config("dirichlet", overrides)
    first, second, third = stages(config)
    assert (first["method"], first["parameters"]["k1"]) == ("BM25", 1.2)
    assert "mu" not in first["parameters"]
    assert (second["reranks"], second["parameters"]["w_quality"]) == ("bm25", 1.0)
    assert (third["name"], third["reranks"]) == ("mmr", "boost")
