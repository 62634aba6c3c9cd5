"""The corpora of learning to rank: their forms in small, and the real ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr

from argsearch.lab.judgements.scored import CORPORA, Scored, bare, labelled
from argsearch.lab.judgements.tables import JudgementsError
from argsearch.lab.training.listwise.training import split_topics

# Distinct texts of a topic: UKPConvArg1 has 1,052 rows, Webis-ArgQuality-20 1,271 arguments.
COUNTS = {
    "ukpconvarg1": ("ukpconvarg1/UKPConvArg1-csv.tar.xz", 32, 1038),
    "argq": ("ibm/argq-toledo2019.tar.xz", 22, 6254),
    "eviconv": ("ibm/eviconv", 69, 1848),
    "eviconv-occurrences": ("ibm/eviconv", 69, 2 * 5697),
    "argq-rank-30k": ("ibm/argq-rank-30k", 71, 30496),
    "webis-argquality20": ("webis-argquality20", 20, 1258),
    "dagstuhl-15512": ("dagstuhl-15512", 32, 304),
}


@pytest.fixture(scope="module")
def ukp(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    folder = tmp_path_factory.mktemp("ukp")
    for part in ("Ranking", "Strict"):
        (folder / f"UKPConvArg1{part}-CSV").mkdir()
    for issue in ("tea", "milk", "war"):
        ranking = folder / "UKPConvArg1Ranking-CSV" / f"{issue}_good.csv"
        ranking.write_text(f"#id\trank\targument\na1\t0.2\t{issue} is fine\na2\t0.6\tno {issue}\n")
        ranking.write_text(ranking.read_text() + f"a3\t0.4\t{issue}<br/>perhaps\n")
        strict = folder / "UKPConvArg1Strict-CSV" / f"{issue}_good.csv"
        strict.write_text(f"#id\tlabel\ta1\ta2\nx\ta2\tno {issue}\t{issue} is fine\n")
    return CORPORA["ukpconvarg1"](folder)


def test_ukps_ranks_are_turned_round(ukp: Scored) -> None:
    assert ukp.topic_names == ("milk good", "tea good", "war good")
    assert ukp.texts[:3] == ("milk is fine", "no milk", "milk perhaps")
    assert ukp.scores[:3] == pytest.approx([1.0, 0.0, 0.5])


@pytest.mark.parametrize(("labels", "high", "low"), [("winrate", 1, 0), ("elo", 1016, 984)])
def test_labels_of_pairs_leave_out_what_was_never_compared(
    ukp: Scored, labels: str, high: float, low: float
) -> None:
    found = labelled(ukp, labels)
    assert found.texts[:2] == ("milk is fine", "no milk")
    assert len(found.texts) == 6
    assert found.scores[:2] == pytest.approx([high, low])


def test_pairs_are_matched_by_letters_alone() -> None:
    assert bare("Tea is “fine”, No. 1!") == bare("tea is fine no 1") == "teaisfineno1"


def test_a_shrunken_winrate_and_bradley_terry(ukp: Scored) -> None:
    assert labelled(ukp, "winrate", prior=2).scores[:2] == pytest.approx([2 / 3, 1 / 3])
    scores = labelled(ukp, "bradley-terry").scores
    assert scores[0] > scores[1]


def test_topics_are_in_one_part_only(ukp: Scored) -> None:
    split = split_topics(ukp, "topics", valid=1, test=1, seed=3)
    parts = [set(ukp.topics[some].tolist()) for some in (split.train, split.valid, split.test)]
    assert [len(part) for part in parts] == [1, 1, 1]
    assert set.union(*parts) == {0, 1, 2}


def test_published_parts(tmp_path: Path) -> None:
    source = tmp_path / "own.csv"
    rows = [f"t{i},text {i},{i},{part}" for i, part in enumerate(["train", "train", "test"] * 2)]
    source.write_text("\n".join(["topic,text,score,part", *rows]))
    scored = CORPORA["csv"](source)
    split = split_topics(scored, "published", valid=1, test=9, seed=0)
    assert split.test.tolist() == [2, 5]
    assert len(split.valid) == 1
    assert len(split.train) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("topic,text\na,b", "have no column 'score'"),
        ("topic,text,score\na,b,high", "must have numbers as scores, not 'high'"),
        ("topic,text,score\na,b,nan\nb,b,1\nc,c,1", "not a finite number"),
        ("topic,text,score\na,b,1", "need at least 3 topics, but have only 1"),
        ("topic,text,score,part\na,b,1,exam", "must have the parts train, valid or test, not"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: str, message: str) -> None:
    source = tmp_path / "own.csv"
    source.write_text(content)
    with pytest.raises(JudgementsError, match=message):
        CORPORA["csv"](source)


@pytest.mark.data
@pytest.mark.parametrize("name", COUNTS)
def test_the_real_corpora(name: str, data_dir: Path) -> None:
    source, topics, arguments = COUNTS[name]
    found = CORPORA[name](data_dir / source)
    assert len(found.topic_names) == topics
    assert len(found.texts) == arguments
    assert np.isfinite(found.scores).all()


@pytest.mark.data
def test_ukps_scores_go_with_its_pairs(data_dir: Path) -> None:
    scored = CORPORA["ukpconvarg1"](data_dir / COUNTS["ukpconvarg1"][0])
    won = labelled(scored, "winrate")
    score = dict(zip(zip(scored.topics, scored.texts, strict=True), scored.scores, strict=True))
    both = [score[key] for key in zip(won.topics, won.texts, strict=True)]
    assert pearsonr(both, won.scores)[0] == pytest.approx(0.645, abs=0.03)  # F22


@pytest.mark.data
def test_evidence_by_occurrence_has_the_published_test_items(data_dir: Path) -> None:
    scored = CORPORA["eviconv-occurrences"](data_dir / "ibm" / "eviconv")
    assert len(split_topics(scored, "published", 12, 21, 0).test) == 2756  # F22: 2 × 1,378
    once = CORPORA["eviconv"](data_dir / "ibm" / "eviconv")
    named = [dict(zip(one.texts, one.scores.tolist(), strict=True)) for one in (scored, once)]
    assert named[0] == named[1]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "compared"), [("ukpconvarg1", 1038), ("argq", 3476), ("eviconv", 1848)]
)
def test_pairs_and_arguments_match_by_text(name: str, compared: int, data_dir: Path) -> None:
    scored = CORPORA[name](data_dir / COUNTS[name][0])
    assert len(labelled(scored, "winrate").texts) == compared
