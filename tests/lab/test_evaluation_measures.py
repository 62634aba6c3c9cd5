"""`evaluate` gives ir-measures' numbers; what it says of runs and judgements that do not match."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.evaluation import FORMATS, Move, Options, diff, evaluate, parse_measures, render
from argsearch.lab.runs import Qrels, RunFormatError, read_qrels, read_run, write_run
from argsearch.ranking.evaluation.zndcg import z_ndcg
from argsearch.ranking.numbers import z_scores

MEASURES = "nDCG@5 nDCG@10 nDCG AP P@5 P(rel=2)@5 RR R@10 Bpref Judged@10 Success@1 NumRet Rprec"
DOCS = [f"d{i}" for i in range(8)]

grades = st.dictionaries(
    st.sampled_from(["1", "2", "3"]),
    st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 3), min_size=1),
    min_size=1,
)
rankings = st.dictionaries(
    st.sampled_from(["1", "2", "4"]),
    st.dictionaries(st.sampled_from([*DOCS, "x", "y"]), st.integers(-3, 3), min_size=1),
    min_size=1,
)


def save_qrels(path: Path, judged: dict[str, dict[str, int]]) -> Path:
    lines = [f"{q} 0 {doc} {grade}\n" for q, row in judged.items() for doc, grade in row.items()]
    path.write_text("".join(lines))
    return path


def save_run(path: Path, ranked: dict[str, dict[str, float]]) -> Path:
    rows = [
        f"{q} Q0 {doc} {rank} {score} t\n"
        for q, row in ranked.items()
        for rank, (doc, score) in enumerate(row.items(), 1)
    ]
    path.write_text("".join(rows))
    return path


@settings(max_examples=100)
@given(judged=grades, ranked=rankings, only=st.booleans())
def test_equals_ir_measures(
    tmp_path_factory: pytest.TempPathFactory,
    judged: dict[str, dict[str, int]],
    ranked: dict[str, dict[str, float]],
    only: bool,
) -> None:
    """Also of condensed lists (`only`), for which ir-measures has variants of three measures."""
    folder = tmp_path_factory.mktemp("evaluate")
    qrels, run = save_qrels(folder / "q.qrels", judged), save_run(folder / "r.run", ranked)
    named = {name: name for name in MEASURES.split()}
    if only:
        named = {"nDCG@3": "nDCG(judged_only=True)@3", "P@3": "P(judged_only=True)@3"}
        named["AP"] = "AP(judged_only=True)"
    ours = evaluate(qrels, [run], Options(" ".join(named), judged_only=only, samples=10))
    theirs = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in named.values()],
        [ir_measures.Qrel(q, d, max(0, g)) for q, row in judged.items() for d, g in row.items()],
        ir_measures.read_trec_run(str(run)),
    )
    by_name = {str(measure): value for measure, value in theirs.items()}
    for mine, name in named.items():
        value = pytest.approx(by_name[name], abs=1e-9, nan_ok=True)
        assert ours.score("r", mine).value == value


def test_batches_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = {str(q): {doc: (q + i) % 3 for i, doc in enumerate(DOCS)} for q in range(9)}
    ranked = {q: {doc: float(i) for i, doc in enumerate(DOCS)} for q in judged}
    qrels, run = save_qrels(tmp_path / "q", judged), save_run(tmp_path / "r", ranked)
    whole = evaluate(qrels, [run], Options(samples=10))
    monkeypatch.setattr("argsearch.lab.evaluation.measures._AT_ONCE", 2)
    assert evaluate(qrels, [run], Options(samples=10)).scores == whole.scores


def _ndcg(ranked: list[int], graded: list[int], k: int) -> float:
    def dcg(some: list[int]) -> float:
        return sum((2**grade - 1) / math.log2(i + 2) for i, grade in enumerate(some[:k]))

    best = dcg(sorted(graded, reverse=True))
    return dcg(ranked) / best if best else 0.0


def _err(ranked: list[int], k: int, highest: int) -> float:
    found, unseen = 0.0, 1.0
    for rank, grade in enumerate(ranked[:k], 1):
        found += unseen * (2**grade - 1) / 2**highest / rank
        unseen *= 1 - (2**grade - 1) / 2**highest
    return found


AWKWARD_IDS = ("t-1", "u-1", "q1", "1", "01", "a-b-c", "-", "é", "1,000", "#", "mean", "all")


def test_values_are_those_of_the_formulas_for_every_id(tmp_path: Path) -> None:
    """All scores are tied, and a third of the topics is missing in the run."""
    judged = {
        topic: {id: (place + i) % 5 for i, id in enumerate(AWKWARD_IDS[place:])}
        for place, topic in enumerate(AWKWARD_IDS)
    }
    # Asked for together, providers take some of these for each other.
    names = 'nDCG(dcg="exp-log2")@3 nDCG(dcg="exp-log2")@2 ERR@3 ERR@2 P@2 P(rel=3)@2 Judged@2 '
    names += "nDCG@2 nDCG(gains={0: 0, 1: 7, 2: 1})@2 RR@2 Compat"
    # Also below zero, as logarithms of probabilities are.
    for score in (1.0, -5.0):
        ranked = {
            topic: dict.fromkeys(["z", "a-b-c", "t-1", "q1", "é"], score)
            for place, topic in enumerate(AWKWARD_IDS)
            if place % 3
        }
        qrels, run = save_qrels(tmp_path / "q", judged), save_run(tmp_path / "r", ranked)
        result = evaluate(qrels, [run], Options(names, samples=1))
        for topic, graded in judged.items():
            order = sorted(ranked.get(topic, ()), reverse=True)
            got = [graded.get(id, 0) for id in order]
            said = {score.measure: score.topics[topic] for score in result.scores}
            for k in (2, 3):
                right = _ndcg(got, list(graded.values()), k)
                assert said[f"nDCG(dcg='exp-log2')@{k}"] == pytest.approx(right), topic
                assert said[f"ERR@{k}"] == pytest.approx(_err(got, k, 4), abs=6e-6), topic
            assert said["P@2"] == sum(grade > 0 for grade in got[:2]) / 2
            assert said["P(rel=3)@2"] == sum(grade > 2 for grade in got[:2]) / 2
            assert said["Judged@2"] == sum(id in graded for id in order[:2]) / 2
            first = next((rank for rank, grade in enumerate(got[:2], 1) if grade), 0)
            assert said["RR@2"] == (1 / first if first else 0)


def test_one_order_of_equal_scores_for_every_measure(tmp_path: Path) -> None:
    qrels = save_qrels(tmp_path / "q", {"1": {"a": 1, "b": 1}})
    run = save_run(tmp_path / "r", {"1": dict.fromkeys("zayb", 1.0)})
    result = evaluate(qrels, [run], Options("P@2 nDCG@2 Judged@2 Compat", samples=1))
    *zeros, compat = [score.value for score in result.scores]
    # z, y, b, a: half of the documents within four ranks.
    assert zeros == [0, 0, 0]
    assert 0 < compat < 0.5


@pytest.mark.parametrize("name", ["Accuracy@3", "Accuracy", "P@3", "ERR@3", "Compat", "znDCG@3"])
def test_a_topic_that_a_run_lacks_counts_as_0(tmp_path: Path, name: str) -> None:
    qrels = save_qrels(tmp_path / "q", {q: {"a": 1, "c": 0} for q in ("1", "2", "3")})
    # Of topic 3 nothing relevant was found, for which the provider gives no value.
    run = save_run(tmp_path / "r", {"1": {"a": 2, "b": 1}, "3": {"b": 1}})
    (score,) = evaluate(qrels, [run], Options(name, samples=1)).scores
    assert list(score.topics) == ["1", "2", "3"]
    assert score.topics["1"] > 0
    assert score.topics["2"] == score.topics["3"] == 0


@pytest.mark.parametrize(
    ("given", "words"), [({"7": 1.0}, "for other topics"), ({"1": 1.0}, "no value for topic 'u-2'")]
)
def test_values_of_other_topics_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, float], words: str
) -> None:
    class Given:
        def iter_calc(self, _: object) -> list[ir_measures.Metric]:
            return [ir_measures.Metric(q, ir_measures.P @ 1, value) for q, value in given.items()]

    qrels = save_qrels(tmp_path / "q", {"t-1": {"a": 1}, "u-2": {"a": 1}})
    run = save_run(tmp_path / "r", {"t-1": {"a": 1}, "u-2": {"a": 1}})
    monkeypatch.setattr(ir_measures, "evaluator", lambda *_: Given())
    with pytest.raises(InvalidParameter, match=words):
        evaluate(qrels, [run], Options("P@1"))


def test_grades_beyond_a_scale(tmp_path: Path) -> None:
    qrels = save_qrels(tmp_path / "q", {"1": {"a": 5, "b": 3}})
    run = save_run(tmp_path / "r", {"1": {"b": 2, "a": 1}})
    (score,) = evaluate(qrels, [run], Options('nDCG(dcg="exp-log2")@3', samples=1)).scores
    assert score.value == pytest.approx(_ndcg([3, 5], [5, 3], 3))
    with pytest.raises(InvalidParameter, match="ERR@3 takes grades up to 4, but the judgements"):
        evaluate(qrels, [run], Options("ERR@3"))
    save_qrels(qrels, {"1": {"a": 20}})
    with pytest.raises(InvalidParameter, match="up to 19, but the judgements go up to 20"):
        evaluate(qrels, [run], Options('nDCG(dcg="exp-log2")@3'))


SUBTOPICS = "1 s a 1\n1 t a 1\n1 s b 1\n1 t c 0\n2 s a 1\n2 u b 2\n2 u c -2\n3 s a 1\n"


def test_subtopics_are_read_and_measures_without_them_refuse(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q", save_run(tmp_path / "r", {"1": {"a": 2, "b": 1}})
    qrels.write_text(SUBTOPICS)
    judged = read_qrels(qrels)
    assert judged.grades["1"] == {"a": 1, "b": 1, "c": 0}
    assert judged.subtopics["1"] == {"s": {"a": 1, "b": 1}, "t": {"a": 1, "c": 0}}
    for name in ("nDCG@3", "P@1", "AP", "znDCG@3", "ERR@3", "Compat", "NumRel"):
        with pytest.raises(InvalidParameter, match=r"alpha_nDCG, .* subtopics \(s, t of topic 1\)"):
            evaluate(qrels, [run], Options(name))
    assert evaluate(qrels, [run], Options("Judged@2")).scores[0].topics["1"] == 1
    # One iteration in each topic, whatever it is: no subtopics.
    qrels.write_text("1 Q0 a 1\n2 0 a 1\n")
    assert not read_qrels(qrels).subtopics
    qrels.write_text("1 s a 1\n1 t a 2\n1 s a 2\n")
    with pytest.raises(RunFormatError, match="q:3: document 'a' of topic '1' has the grades 1 and"):
        read_qrels(qrels)


def test_subtopics_reach_the_measures(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyndeval", reason="install it: pip install ir-measures[pyndeval]")
    qrels = tmp_path / "q"
    qrels.write_text(SUBTOPICS)
    ranked = {"1": {"b": 3.0, "x": 2.0, "a": 1.0}, "2": {"b": 1.0, "a": 1.0, "c": 1.0}}
    run = save_run(tmp_path / "r", ranked)
    names = "alpha_nDCG@3 ERR_IA@3 StRecall@1 P_IA@3 alpha_nDCG(rel=2)@3"
    result = evaluate(qrels, [run], Options(names, samples=1))
    assert "WARNING" not in capfd.readouterr().err
    log3 = math.log2(3)
    # Topic 1: b (s), x, a (s again and t); best is a (both), b. Topic 2: c (nothing), b, a.
    right = {
        "alpha_nDCG@3": ((1 + 1.5 / 2) / (2 + 0.5 / log3), (1 / log3 + 1 / 2) / (1 + 1 / log3), 0),
        "StRecall@1": (1 / 2, 0, 0),
        "P_IA@3": ((2 / 3 + 1 / 3) / 2, 1 / 3, 0),
        "alpha_nDCG(rel=2)@3": (0, 1 / log3, 0),
    }
    for name, values in right.items():
        assert list(result.score("r", name).topics.values()) == pytest.approx(values), name
    # ndeval divides by the gain of three documents that are about both subtopics.
    err_ia = (1 + 1.5 / 3) / (2 * (1 + 1 / 2 / 2 + 1 / 4 / 3))
    assert result.score("r", "ERR_IA@3").topics["1"] == pytest.approx(err_ia)


def test_zndcg(tmp_path: Path) -> None:
    qrels = save_qrels(tmp_path / "q", {"1": {"a": 3, "b": 1, "c": 0}, "2": {"a": 1, "b": 1}})
    run = save_run(tmp_path / "r", {"1": {"b": 3, "x": 2, "a": 1}, "2": {"a": 1}})
    result = evaluate(qrels, [run], Options("znDCG@3", samples=10))
    gains = z_scores([3, 1, 0])
    score = result.score("r", "znDCG@3")
    assert score.topics["1"] == pytest.approx(z_ndcg([gains[1], 0, gains[0]], gains, 3))
    assert math.isnan(score.topics["2"])
    assert score.value == score.topics["1"]
    assert "r: znDCG@3 is undefined for 1 topics, which are left out" in result.remarks


def test_topics_that_do_not_match(tmp_path: Path) -> None:
    qrels = save_qrels(tmp_path / "q", {"1": {"a": 1}, "2": {"a": 1}})
    run = save_run(tmp_path / "r", {"1": {"a": 1}, "9": {"a": 1}})
    other = save_run(tmp_path / "s", {"9": {"a": 1}})
    result = evaluate(qrels, [run, other], Options("P@1", samples=10))
    assert result.score("r", "P@1").value == 0.5
    assert result.score("s", "P@1").value == 0.0
    said = "r: 1 topics have no relevance judgements and are not counted (first: 9)"
    assert {said, "r: 1 judged topics are missing and count as 0 (first: 2)"} < {*result.remarks}
    assert "s has no topic of the relevance judgements; every value is 0" in result.remarks


def test_two_judgements_and_comparisons(tmp_path: Path) -> None:
    relevance = {str(q): {"a": 1, "b": 0} for q in range(12)}
    quality = {str(q): {"a": 0, "b": 1} for q in range(12)}
    good = save_run(tmp_path / "good.txt", {q: {"a": 2, "b": 1} for q in relevance})
    bad = save_run(tmp_path / "bad.txt", {q: {"b": 2, "a": 1} for q in relevance})
    same = tmp_path / "same.run.gz"
    write_run(same, ((q, ["a", "b"], [2.0, 1.0]) for q in relevance), "t")
    judged = {
        "relevance": save_qrels(tmp_path / "rel", relevance),
        "quality": save_qrels(tmp_path / "qual", quality),
    }
    result = evaluate(judged, [good, bad, same], Options("P@1", all_pairs=True))
    assert result.runs == ("good", "bad", "same")
    assert result.score("good", "P@1").value == 1.0
    assert result.score("good", "P@1", "quality").value == 0.0
    assert result.options.pairs(result.runs) == [("good", "bad"), ("good", "same"), ("bad", "same")]
    first = result.comparisons[0]
    assert (first.first, first.second, first.difference) == ("good", "bad", -1.0)
    assert (first.better, first.worse, first.equal) == (0, 12, 0)
    assert first.p_randomisation == pytest.approx(2 / 2**12)
    assert first.p_randomisation_holm == pytest.approx(3 * 2 / 2**12)
    assert result.comparisons[1].p_t == 1.0
    first_only = evaluate(judged, [good, bad, same], Options("P@1"))
    assert first_only.options.pairs(result.runs) == [("good", "bad"), ("good", "same")]


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    judged = {str(q): {"a": q % 3, "b": q % 2} for q in range(30)}
    qrels = save_qrels(tmp_path / "q", judged)
    runs = [
        save_run(tmp_path / name, {q: {"a": 1.0 + int(q) % n, "b": 1.5} for q in judged})
        for name, n in (("r", 2), ("s", 3))
    ]
    first = render(evaluate(qrels, runs, Options(seed=1)), "json")
    assert render(evaluate(qrels, runs, Options(seed=1)), "json") == first
    assert render(evaluate(qrels, runs, Options(seed=2)), "json") != first


def test_diff() -> None:
    from array import array

    from argsearch.lab.runs import Run, TopicRanking

    def run(*ids: str) -> Run:
        scores = array("d", range(len(ids), 0, -1))
        return Run("r", "t", {"1": TopicRanking(list(ids), scores)})

    (topic,) = diff(run("a", "b", "c", "d"), run("b", "a", "x", "c"), {"1": {"a": 2, "c": -2}}, 3)
    assert topic.moves == (
        Move("b", 2, 1, None),
        Move("a", 1, 2, 2),
        Move("x", None, 3, None),
        Move("c", 3, None, -2),
    )
    assert [move.change for move in topic.moves] == ["rose", "fell", "entered", "left"]
    assert topic.count("stayed") == 0


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("nDCG@0", "with a cutoff of at least 1, not 'nDCG@0'"),
        ("P@-1", "measure must .*not 'P@-1'"),
        ("nonsense@5", "measure not found: nonsense"),
        ("nDCG@", "measure must .*not 'nDCG@'"),
        ("nDCG(dcg='x')@5", "invalid param dcg"),
        ("nDCG(foo=1)@5", r"measure must .*not 'nDCG\(foo=1\)@5'"),
        ("P(rel=0)@5", "should be positive"),
        ("INST(max_rel=3)", "pip install"),
        ("znDCG@0", "measure must .*not 'znDCG@0'"),
        ("nDCG@1000001", "cutoffs, grades and gains up to 1,000,000, not '"),
        (f"znDCG@{'9' * 5000}", "cutoffs, grades and gains up to 1,000,000, not '"),
        ("P(rel=4294967297)@5", "cutoffs, grades and gains up to 1,000,000, not '"),
        ("nDCG(gains={0:0,1:99999999999})@5", "cutoffs, grades and gains up to 1,000,000, not '"),
        ("  ", "one or more names"),
    ],
)
def test_bad_measures(names: str, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        parse_measures(names)


def test_measures_are_split_outside_brackets() -> None:
    names = [str(m) for m in parse_measures("nDCG@5, P(rel=2)@5 nDCG(gains={0: 0, 1: 5})@5 nDCG@5")]
    assert names == ["nDCG@5", "P(rel=2)@5", "nDCG(gains={1:5})@5"]


def test_a_measure_that_cannot_be_computed_is_named(tmp_path: Path) -> None:
    judged = save_qrels(tmp_path / "q", {"1": {"a": 5}})
    run = save_run(tmp_path / "r", {"1": {"a": 3.0}})
    with pytest.raises(InvalidParameter, match="measures must .*not 'Accuracy@5'"):
        evaluate(judged, [run], Options("Accuracy@5"))


@pytest.mark.parametrize("bad", [{"level": 95}, {"samples": 0}, {"permutations": 0}, {"seed": -1}])
def test_bad_options(bad: dict[str, float]) -> None:
    with pytest.raises(InvalidParameter, match=next(iter(bad))):
        Options(**bad)  # type: ignore[arg-type]


def test_run_names(tmp_path: Path) -> None:
    qrels = save_qrels(tmp_path / "q", {"1": {"a": 1}})
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        save_run(tmp_path / folder / "run.txt", {"1": {"a": 1}})
    runs = [tmp_path / folder / "run.txt" for folder in ("x", "y")]
    assert evaluate(qrels, runs, Options(samples=1)).runs == ("x/run", "y/run")
    with pytest.raises(InvalidParameter, match="is given twice"):
        evaluate(qrels, [runs[0], runs[0]])
    with pytest.raises(InvalidParameter, match=r"runs must .*not \[\]"):
        evaluate(qrels, [])
    with pytest.raises(InvalidParameter, match=r"score for \('relevance', 'run', 'AP'\)"):
        evaluate(qrels, runs[:1], Options(samples=1)).score("run", "AP")


def test_every_format(tmp_path: Path) -> None:
    judged = Qrels("q", {"1": {"a": 1}, "2": {"b": 1}})
    first = save_run(tmp_path / "one_1.txt", {"1": {"a": 1}, "2": {"a": 1}})
    second = save_run(tmp_path / "two|2.txt", {"1": {"c": 1}, "2": {"b": 1}})
    result = evaluate(judged, [first, second], Options("P@1 NumRet znDCG@5", samples=50))
    diffs = {("one_1", "two|2"): diff(read_run(first), read_run(second), judged.grades, 5)}
    texts = {form: render(result, form, True, diffs) for form in FORMATS}
    assert all(text.endswith("\n") for text in texts.values())
    content = json.loads(texts["json"])
    assert content["scores"][0]["topics"] == {"1": 1.0, "2": 0.0}
    assert content["diffs"][0]["topics"]["1"][1]["change"] == "left"
    assert content["scores"][4]["value"] is None
    assert "topics" not in json.loads(render(result, "json"))["scores"][0]
    assert f"relevance,one_1,P@1,2,0.0{12 * ','}" in texts["csv"].splitlines()
    row = next(row for row in csv.DictReader(texts["csv"].splitlines()) if row["first"])
    assert list(row.values())[:5] == ["relevance", "two|2", "P@1", "all", "0.5"]
    tested = {name: str(value) for name, value in content["comparisons"][0].items()}
    assert row.items() >= {name: tested[name] for name in ("first", "better", "p_t_holm")}.items()
    assert r"| two\|2 | 0.5000 [0.0000, 1.0000] | 2 | – |" in texts["markdown"].splitlines()
    assert r"one\_1 & 0.5000 [0.0000, 1.0000] & 2 & -- \\" in texts["latex"].splitlines()
    assert "one_1" in texts["table"]
    with pytest.raises(InvalidParameter, match="format must .*not 'html'"):
        render(result, "html")
