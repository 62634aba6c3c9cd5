"""The stance model: sides, reasons, files, and texts of any kind."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argsearch.engine.stance.model import (
    DEFAULT_STANCE_FILE,
    FOR_WEIGHTS,
    NEAR_WEIGHTS,
    SIDE_VALUES,
    WHOLE_WEIGHTS,
    StanceModel,
)
from argsearch.engine.stance.wording import HEAD, TAIL, read_words
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.model_files import STANCE_MODEL, ModelError

AGAINST_IT = "It harms children and should be banned because it is dangerous and wrong."


def argument(text, conclusion=None, stance=None):
    return Argument("a", conclusion, (Premise(text, stance),))


@pytest.fixture(scope="module")
def model():
    return StanceModel.load()


def leaves_add_up(tree):
    assert tree.value == pytest.approx(math.prod(branch.value for branch in tree.details))
    for branch in tree.details:
        if branch.description.startswith(("probability of giving", "probability of having")):
            assert (branch.value, branch.details) == (0.0, ())
            continue
        (logit,) = branch.details
        assert logit.value == pytest.approx(sum(part.value for part in logit.details))
        assert branch.value == pytest.approx(1 / (1 + math.exp(-logit.value)))


@pytest.mark.parametrize(
    ("question", "conclusion", "stance", "side"),
    [
        ("Should homework be banned?", "Homework should be banned", Stance.PRO, "for"),
        ("Should homework be banned?", "Homework should be banned", Stance.CON, "against"),
        ("Should homework be allowed?", "Homework should be banned", Stance.PRO, "against"),
        ("Should homework be banned?", "Homework is useful", Stance.PRO, "against"),
        ("Is homework a waste of time?", "Homework should not be abolished", Stance.CON, "for"),
        ("homework", "Homework should be abolished", Stance.CON, "for"),
    ],
)
def test_stance_times_conclusion_times_question(model, question, conclusion, stance, side):
    found = model.side(question, argument("We talk about homework.", conclusion, stance))
    assert found.value == side


def test_a_question_without_sides_puts_nothing_on_one(model):
    one = argument(AGAINST_IT, "Homework should be banned", Stance.PRO)
    side = model.side("How can homework be banned?", one)
    assert (side.value, side.probability) == ("unclear", 0.0)
    leaves_add_up(side.explanation)
    assert "the question has no sides" in side.explanation.details[-1].description


@pytest.mark.parametrize(
    ("conclusion", "share"),
    [("Homework", 1.0), ("Homework is good", 1.0), ("Pupils need sleep", 0.0)],
)
def test_a_conclusion_counts_more_on_the_questions_own_subject(model, conclusion, share):
    one = argument("We talk about homework.", conclusion, Stance.PRO)
    (evidence,) = model.evidence("Should homework be banned?", [one])
    found = evidence.given["conclusion"], evidence.given["conclusion on the subject"]
    assert found == (-1.0, -share)


def test_a_question_with_a_long_subject_is_less_certain(model):
    one = argument("We talk about homework.", "Homework should be banned", Stance.PRO)
    brief, long = (
        model.evidence(question, [one])[0].given["conclusion, of a long subject"]
        for question in (
            "Should homework for children be banned?",
            "Does homework bring young children and their parents together?",
        )
    )
    assert (brief, abs(long)) == (0.0, 1.0)
    assert FOR_WEIGHTS["conclusion, of a long subject"] < 0 < FOR_WEIGHTS["conclusion"]


def test_hits_by_passages_are_shown_from_a_lower_probability_on(model):
    (evidence,) = model.evidence(
        "Should homework be banned?",
        [argument("We talk about homework.", "Homework should be banned", Stance.PRO)],
        concerning={
            name: np.array([0.0])
            for name in ("claim", "passage", "passages", "nearest", "alike", "whole")
        },
    )
    for whole, on, side in ((0.0, 0.6, "for"), (1.0, 0.6, "unclear"), (0.0, 0.5, "unclear")):
        weights = WHOLE_WEIGHTS if whole else NEAR_WEIGHTS
        likely = dict.fromkeys(evidence.likely, 0.0) | {"constant": 1.0, "whole": whole}
        logit = np.log(on / (1 - on)) - weights["constant"]
        found = replace(evidence, likely=likely | {"alike": logit / weights["alike"]})
        shown = model.weigh(found)
        assert shown.on_question == pytest.approx(on)
        assert (shown.value, shown.likelier) == (side, "for")


def test_without_a_conclusion_the_text_decides(model):
    text = "Homework is harmful. " + AGAINST_IT.replace("It", "Homework")
    assert model.side("Should homework be banned?", argument(text)).value == "for"
    assert model.side("Should homework be allowed?", argument(text)).value == "against"


def test_another_subject_is_unclear(model):
    other = argument("Golf is a sport.", "Golf is a sport", Stance.PRO)
    assert model.side("Should homework be banned?", other).value == "unclear"


ASKED = [
    "Should homework be banned?",
    "",
    "abortion",
    "🙂🙂",
    "Ist die Todesstrafe gut?",
    "x" * 2000,
]
premises = st.builds(Premise, st.text(max_size=200), st.sampled_from([None, *Stance]))


@pytest.mark.thorough
@given(st.sampled_from(ASKED), st.lists(premises, max_size=2), st.none() | st.text(max_size=80))
@example(ASKED[0], [Premise("Homework should be banned.", None)], None)
def test_any_argument_has_a_side_that_adds_up(question, premises, conclusion):
    one = Argument("a", conclusion, tuple(premises))
    side = StanceModel.load().side(question, one)
    assert side.value in SIDE_VALUES
    assert 0 <= side.probability <= 1
    assert side.explanation.value == side.probability
    leaves_add_up(side.explanation)


@given(st.sampled_from(["homework", "smoking in parks", "the moon"]), st.text(max_size=200))
def test_turning_the_question_swaps_the_sides_to_the_last_bit(subject, text):
    one = argument(f"{text} {subject} {AGAINST_IT}", f"{subject} should be legal", Stance.CON)
    model = StanceModel.load()
    banned, allowed = (model.side(f"Should {subject} be {w}?", one) for w in ("banned", "allowed"))
    assert banned.probability == pytest.approx(allowed.probability, abs=1e-12)
    assert {banned.value, allowed.value} in ({"for", "against"}, {"unclear"})


def test_a_side_does_not_depend_on_the_other_arguments(model):
    many = [argument(AGAINST_IT, f"Homework {i}", Stance.PRO) for i in range(5)]
    assert model.sides("homework", many) == [model.side("homework", one) for one in many]
    assert model.sides("homework", []) == []


def test_of_a_long_text_beginning_and_end_are_read(model):
    long = " ".join(f"word{i}" for i in range(200_000))
    words = read_words(long)
    assert len(words) == HEAD + TAIL
    assert words[0] == "word0"
    assert words[-1] == "word199999"
    middle = f"word{HEAD + TAIL}"
    other = long.replace(f" {middle} ", " not ")
    assert other != long
    one, same = (argument("b " + text, "Homework", Stance.PRO) for text in (long, other))
    assert model.side("homework", one) == model.side("homework", same)


def test_the_file_says_what_made_it():
    file = STANCE_MODEL.read(DEFAULT_STANCE_FILE)
    assert file.header["provenance"]["command"].startswith("argsearch train stance")
    assert DEFAULT_STANCE_FILE.stat().st_size < 2_000_000
    assert StanceModel.load().sha256 == file.sha256


def broken(tmp_path: Path, how: str) -> Path:
    file, path = STANCE_MODEL.read(DEFAULT_STANCE_FILE), tmp_path / "model.safetensors"
    if how == "lacking":
        STANCE_MODEL.write(path, file.header, {"terms": file.arrays["terms"]})
    elif how == "shorter":
        STANCE_MODEL.write(path, file.header, {**file.arrays, "idf": np.ones(3, np.float32)})
    return path


@pytest.mark.parametrize("how", ["missing", "lacking", "shorter"])
def test_a_file_that_cannot_be_used_is_refused_in_one_line(tmp_path, how):
    with pytest.raises(ModelError) as refused:
        StanceModel.load(broken(tmp_path, how))
    assert "\n" not in str(refused.value)
    assert "argsearch train stance" in str(refused.value)
