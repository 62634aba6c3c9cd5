"""First fives: labels count where both judges gave them, and sheets leave out what is judged."""

from types import SimpleNamespace

import numpy as np
import pytest

from studies.first_five import argsme
from studies.first_five.systems import SYSTEMS
from studies.quality import among

LABELS = """topic\targument\toff a\tnothing a\toff b\tnothing b
1\ta\t1\t0\t1\t1
1\tb\t1\t1\t0\t1
"""


def hit(id, words):
    argument = SimpleNamespace(premise="word " * words, conclusion=None)
    return SimpleNamespace(id=id, argument=argument)


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "judged.tsv"
    path.write_text(LABELS)
    return argsme.read_labels(path)


@pytest.fixture
def lists():
    hits = {(name, "1"): [hit("a", 20), hit("b", 3)] for name in SYSTEMS}
    return argsme.Lists({"1": "Is it so?"}, hits)


def test_a_one_counts_where_both_judges_gave_it(labels):
    assert labels == {("1", "a"): (True, False), ("1", "b"): (False, True)}


def test_counts_are_of_places(lists, labels):
    lists.hits["default", "1"] = [hit("a", 20)]
    rows = argsme.table(lists, labels).splitlines()[2:]
    assert rows[0] == "| dirichlet | 2 | 1 | 1 | 1 | 0 |"
    assert rows[1] == "| default | 1 | 0 | 1 | 0 | 0 |"


def test_a_sheet_has_what_is_not_judged_and_no_systems_name(lists, labels):
    lists.hits["dirichlet", "1"].append(hit("new", 4))
    sheet = argsme.sheet(lists, labels)
    assert "1\tnew" in sheet
    assert "1\ta" not in sheet
    assert "dirichlet" not in sheet


def test_every_label_that_ships_is_of_a_question_and_once():
    labels = argsme.read_labels()
    lines = argsme.LABELS.read_text().splitlines()
    assert len(labels) == len(lines) - 1 == 168
    assert len({topic for topic, _ in labels}) == argsme.ASKED


def test_predictions_are_read_among_the_texts_of_their_topic():
    read = among(np.array([0.1, 0.9, 0.4, 0.5, 0.6]), np.array([0, 0, 1, 1, 1]), "rank")
    assert read.tolist() == [0.0, 1.0, 0.0, 0.5, 1.0]
