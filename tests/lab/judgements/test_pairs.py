"""Readers of judged pairs: small files of each form, and the real corpora."""

from __future__ import annotations

import lzma
import tarfile
from pathlib import Path

import pytest

from argsearch.lab.judgements.pairs import (
    DIMENSIONS,
    WEBIS_DIMENSIONS,
    read_dagstuhl,
    read_eviconv,
    read_ibm_pairs,
    read_others,
    read_ukp,
    read_webis,
)
from argsearch.lab.judgements.tables import JudgementsError, words

HEADER = (
    "annotator\targumentative\toverall quality\tcogency\teffectiveness\treasonableness"
    "\targument\t#id\tissue\tstance"
)


def rating(annotator, levels, text, number, stance="yes", flag="y"):
    cells = [str(annotator), flag, *(f"{level} (x)" for level in levels), text, number, "an-issue"]
    return "\t".join([*cells, stance])


@pytest.fixture
def dagstuhl(tmp_path: Path) -> Path:
    texts = {"a1": '"says ""no"" <br/> twice"', "a2": "plain", "a3": "other", "a4": "not one"}
    levels = {"a1": (3, 3, 3), "a2": (1, 2, 3), "a3": (2, 2, 2), "a4": (1, 1, 1)}
    lines = [HEADER]
    for number, text in texts.items():
        stance = "no" if number == "a3" else "yes"
        for annotator, level in enumerate(levels[number], 1):
            flag = "n" if (number, annotator) == ("a4", 2) else "y"
            given = (level, level, 1, level)
            lines.append(rating(annotator, given, text, number, stance, flag))
    path = tmp_path / "small-annotated.csv"
    path.write_bytes("\r".join(lines).encode("latin-1"))
    return path


def test_dagstuhl_by_hand(dagstuhl: Path) -> None:
    for source in (dagstuhl, dagstuhl.parent):
        ratings = read_dagstuhl(source)
        assert ratings.texts == ('says "no" twice', "plain", "other")
        assert ratings.queries == ("an issue yes", "an issue no")
        assert ratings.issues == ("an-issue", "an-issue")
        assert ratings.query.tolist() == [0, 0, 1]
        assert ratings.means("cogency").tolist() == [3, 2, 2]
        assert ratings.means("effectiveness").tolist() == [1, 1, 1]
        pairs = ratings.pairs("cogency")
        assert (pairs.better.tolist(), pairs.worse.tolist()) == ([0], [1])
        assert pairs.topics == ("an issue yes",)
        assert ratings.apart(pairs, "cogency").tolist() == [1]
        assert len(ratings.pairs("effectiveness").better) == 0


def test_dagstuhl_ignores_short_rows(dagstuhl: Path) -> None:
    whole = read_dagstuhl(dagstuhl)
    short = "\rstray\r1\tn\r" + "\t".join([*rating(1, (), "t", "a5", flag="n").split("\t")[:4]])
    dagstuhl.write_bytes(dagstuhl.read_bytes() + short.encode())
    found = read_dagstuhl(dagstuhl)
    assert (found.texts, found.queries) == (whole.texts, whole.queries)
    assert (found.ratings["cogency"] == whole.ratings["cogency"]).all()


def test_dagstuhl_counts_an_argument_that_was_annotated_twice_by_one_as_not_agreed(
    dagstuhl: Path,
) -> None:
    again = "\r" + rating(2, (1, 1, 1, 1), "plain", "a2", flag="n")
    dagstuhl.write_bytes(dagstuhl.read_bytes() + again.encode())
    assert len(read_dagstuhl(dagstuhl).texts) == 2


def test_a_long_text_between_tabs(tmp_path: Path) -> None:
    folder = tmp_path / "UKPConvArg1Strict-CSV"
    folder.mkdir()
    long = 'so "long ' + "word " * 50_000
    (folder / "an-issue_yes.csv").write_text(f"#id\tlabel\ta1\ta2\nx\ta2\tworse\t{long}\n")
    assert read_ukp(tmp_path).texts == (long.strip(), "worse")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "have no column 'annotator'"),
        (HEADER.replace("cogency\t", ""), "have no column 'cogency'"),
        (HEADER, "no argument that all three"),
        ("\r".join([HEADER, *(rating(i, (1, 4, 1, 1), "t", "a1") for i in (1, 2, 3))]),
         r"rate 'a1' as 1, 2 or 3, not '4 \(x\)'"),
    ],
)  # fmt: skip
def test_a_bad_file_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(JudgementsError, match=message):
        read_dagstuhl(path)


def test_no_file_is_named(tmp_path: Path) -> None:
    for read in (read_dagstuhl, read_ukp, read_ibm_pairs, read_eviconv):
        with pytest.raises(JudgementsError, match="; give the|one file"):
            read(tmp_path)
    with pytest.raises(JudgementsError, match="cannot be read"):
        read_ukp(tmp_path / "none.tar")
    with pytest.raises(JudgementsError, match="their corpus, in the file"):
        read_others([tmp_path / "mine.csv"])


def test_ukp_from_a_folder_and_from_an_archive(tmp_path: Path) -> None:
    folder = tmp_path / "UKPConvArg1Strict-CSV"
    folder.mkdir()
    rows = "#id\tlabel\ta1\ta2\nx\ta2\tworse\tbetter <br/> one\ny\ta1\tsame\tsame\n"
    (folder / "an-issue_yes.csv").write_text(rows)
    archive = tmp_path / "ukpconvarg1.tar.xz"
    with tarfile.open(archive, "w:xz") as out:
        out.add(folder, folder.name)
    for pairs in (read_ukp(tmp_path), *read_others([archive])):
        assert pairs.texts == ("better one", "worse")
        assert (pairs.better.tolist(), pairs.worse.tolist()) == ([0], [1])
        assert pairs.topics == ("an issue",)
    (folder / "an-issue_yes.csv").write_text("#id\tlabel\ta1\ta2\nx\tequal\tone\tother\n")
    with pytest.raises(JudgementsError, match="must have the labels a1 or a2, not 'equal'"):
        read_ukp(tmp_path)


def test_eviconv_and_webis(tmp_path: Path) -> None:
    evidence = 'topic,evidence_1,evidence_2,label\nT,"one, two[REF] .",three,2\n'
    (tmp_path / "train.csv.xz").write_bytes(lzma.compress(evidence.encode()))
    (tmp_path / "test.csv").write_text(evidence.replace(",2\n", ",1\n"))
    pairs = read_eviconv(tmp_path)
    assert pairs.texts == ("three", "one, two .")
    assert list(zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)) == [(0, 1), (1, 0)]
    (tmp_path / "q-argquality20-arguments.csv").write_text(
        "Topic ID,Argument ID,Discussion ID,Premise\n7,1,10,one\n7,2,10,two\n7,3,11,three\n"
    )
    columns = "Discussion ID A,Argument ID A,Discussion ID B,Argument ID B,Comparison\n"
    rows = "10,1,10,2,B\n10,1,11,3,Tie\n11,3,10,1,A\n99,9,10,1,A\n"
    (tmp_path / "raw-logical.csv").write_text(columns + rows)
    pairs = read_webis(tmp_path, "logical")
    named = [pairs.texts[i] + ">" + pairs.texts[j] for i, j in zip(pairs.better, pairs.worse,
             strict=True)]  # fmt: skip
    assert named == ["two>one", "three>one"]
    assert set(pairs.topics) == {"webis 7"}


@pytest.mark.data
def test_the_real_ratings_are_those_of_the_paper(data_dir: Path) -> None:
    ratings = read_dagstuhl(data_dir / "dagstuhl-15512")
    assert (len(ratings.texts), len(ratings.queries), len(set(ratings.issues))) == (304, 32, 16)
    ordered = [2 * len(ratings.pairs(dimension).better) for dimension in DIMENSIONS]
    assert ordered == [2046, 2074, 1970]  # D20's own counts


@pytest.mark.data
def test_the_real_pairs(data_dir: Path) -> None:
    ukp = read_ukp(data_dir / "ukpconvarg1" / "UKPConvArg1-csv.tar.xz")
    ibm = read_ibm_pairs(data_dir / "ibm" / "argq-toledo2019.tar.xz")
    assert (len(ukp.better), len(set(ukp.topics))) == (11_650, 16)
    assert (len(ibm.better), len(set(ibm.topics))) == (9_125, 22)
    assert len(read_eviconv(data_dir / "ibm" / "eviconv").better) == 5_697
    webis = [read_webis(data_dir / "webis-argquality20", name) for name in WEBIS_DIMENSIONS]
    assert [len(pairs.better) for pairs in webis] == [11_933, 11_490, 11_766]
    # every topic of UKPConvArg1 is an issue of Dagstuhl-15512, so that leaving one out is possible
    issues = {words(issue) for issue in read_dagstuhl(data_dir / "dagstuhl-15512").issues}
    assert set(ukp.topics) == issues
