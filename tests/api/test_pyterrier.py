"""The PyTerrier transformer passes PyTerrier's own inspection and has the numbers of `run`."""

from __future__ import annotations

import pickle
import unittest
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="install the extra pyterrier: pip install -e '.[pyterrier]'")
pt = pytest.importorskip(
    "pyterrier", reason="install the extra pyterrier: pip install -e '.[pyterrier]'"
)

import pandas as pd  # noqa: E402
from pyterrier import testing  # noqa: E402

from argsearch.api.adapters.pyterrier import ArgSearch  # noqa: E402
from argsearch.lab.runs import read_topics  # noqa: E402

SAMPLE = Path(__file__).parent.parent.parent / "indexer" / "sample"


@pytest.fixture(scope="module")
def topics() -> pd.DataFrame:
    read = read_topics(str(SAMPLE / "topics.xml"))
    return pd.DataFrame({"qid": [t.query_id for t in read], "query": [t.title for t in read]})


def test_it_passes_the_tests_of_pyterrier_for_transformers(sample_index, monkeypatch):
    monkeypatch.setenv("PT_TEST_TRANSFORMER_REPORTS", "0")  # they are warnings
    case = testing.transformer_test_class(lambda: ArgSearch(sample_index, k=5))
    tests, result = unittest.defaultTestLoader.loadTestsFromTestCase(case), unittest.TestResult()
    tests.run(result)
    assert result.testsRun >= 2
    assert [*result.errors, *result.failures, *result.skipped] == []


def test_it_is_inspected_copied_and_cut_as_pyterrier_does(sample_index, topics):
    transformer = ArgSearch(sample_index, "dirichlet", k=50, overrides=["boost.quality=2"])
    assert pt.inspect.transformer_inputs(transformer) == [["qid", "query"]]
    with pytest.raises(Exception, match="query"):
        transformer(pd.DataFrame({"qid": ["1"]}))
    named = [one.name for one in pt.inspect.transformer_attributes(transformer)]
    assert named == ["index", "config", "k", "overrides"]
    cut = (transformer % 7).compile()
    assert repr(cut) == "ArgSearch('dirichlet', k=7)"
    assert cut.index is transformer.index
    pd.testing.assert_frame_equal(cut(topics), (transformer % 7)(topics))
    assert repr((transformer % 70).compile()) == repr(transformer)


@pytest.mark.thorough
def test_its_numbers_are_those_of_the_command(sample_index, topics, argsearch, tmp_path):
    out = tmp_path / "run.txt"
    words = ["run", SAMPLE / "topics.xml", "--index", sample_index, "--out", out, "-k", "50"]
    assert argsearch(*words, "--quiet")[0] == 0
    written = [line.split() for line in out.read_text().splitlines()]
    found = ArgSearch(sample_index, k=50)(topics)
    assert [(f.qid, f.docno, f.rank + 1) for f in found.itertuples()] == [
        (row[0], row[2], int(row[3])) for row in written
    ]
    assert [float(row[4]) for row in written] == pytest.approx(found.score.tolist())


def test_an_experiment_takes_it(sample_index, topics):
    judged = [line.split() for line in (SAMPLE / "relevance.qrels").read_text().splitlines()]
    qrels = pd.DataFrame(
        {
            "qid": [row[0] for row in judged],
            "docno": [row[2] for row in judged],
            "label": [int(row[3]) for row in judged],
        }
    )
    systems = [ArgSearch(sample_index, k=20), ArgSearch(sample_index, "dirichlet", k=20)]
    table = pt.Experiment(systems, topics, qrels, ["ndcg_cut_10"], validate="error")
    assert table["ndcg_cut_10"].between(0.3, 1).all()


@pytest.mark.parametrize("rows", [0, 2])
@pytest.mark.parametrize("more", [["score"], ["rank"], ["rank", "score", "query_0"]])
def test_columns_of_a_result_are_replaced(sample_index, topics, rows, more):
    transformer = ArgSearch(sample_index, k=5)
    given = topics[:rows].assign(**dict.fromkeys(more, 7.5))
    before = given.copy()
    found, plain = transformer(given), transformer(topics[:rows])
    assert list(found.columns).count("score") == list(found.columns).count("rank") == 1
    pd.testing.assert_frame_equal(found[plain.columns], plain, check_dtype=bool(rows))
    assert set(found.columns) == {*plain.columns, *more}
    pd.testing.assert_frame_equal(given, before)


def test_it_is_pickled_by_the_address_of_its_index(sample_index, topics):
    transformer = ArgSearch(sample_index, k=5)
    taken = pickle.loads(pickle.dumps(transformer))
    assert taken(topics)["docno"].tolist() == transformer(topics)["docno"].tolist()
