"""The reader's count: pooling hides systems, labels can be resumed, counts by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from argsearch.engine import Engine
from studies.reader import counting, judged, lists, scoring, sheets
from studies.reader.counting import count, merged
from studies.reader.labels import COLUMNS, Label, Labels, WrongLabel, append, read
from studies.reader.lists import SIDES, Item, Lists, Question, UnknownLists, cut, make, questions

ASKED = [
    Question("Q1", ("directed",), "Should teachers get tenure?", "tenure"),
    Question("Q2", ("undirected",), "zoos", "animals"),
    Question("Q3", ("undirected", "lacking"), "xyzzyxed quorxes", "death penalty"),
]


@pytest.fixture(scope="module")
def engine(sample_index: Path) -> Iterator[Engine]:
    with Engine.open(sample_index) as opened:
        yield opened


@pytest.fixture(scope="module")
def made(engine: Engine) -> Lists:
    return make(engine, ASKED)


@pytest.mark.data
def test_no_question_is_a_title_of_touche(data_dir: Path) -> None:
    files = (data_dir / "touche").glob("*.xml")
    titles = {_plain(t.text or "") for f in files for t in ElementTree.parse(f).iter("title")}
    assert len(titles) >= 50
    assert not titles & {_plain(q.text) for q in questions()}


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


@pytest.mark.thorough
def test_every_place_is_an_item_that_is_shown_on_that_side(engine: Engine, made: Lists) -> None:
    items = {item.id: item for item in made.items}
    assert len(items) == len(made.items)
    listed = set()
    for system in made.places:
        for question in ASKED[:2]:
            for side in lists.SIDES:
                results = engine.search(question.text, k=5, config=system, side=side, spread=True)
                ids = made.places[system][question.id][side]
                assert [items[id].argument for id in ids] == results.hits.ids
                assert {items[id].side for id in ids} <= {side}
                listed |= set(ids)
    probed = [item.argument for id, item in items.items() if id not in listed]
    best = {q: engine.search(q, k=10).hits.ids for q in ("tenure", "animals", "death penalty")}
    assert set(probed) <= {id for ids in best.values() for id in ids}
    assert {item.argument for item in made.of("Q3")} == set(best["death penalty"])
    assert {item.side for item in made.of("Q3")} == {"for", "against"}
    assert made.claims["Q1"] == ""
    assert "zoos" in made.claims["Q2"]


@pytest.mark.thorough
def test_order_and_ids_tell_nothing_of_the_systems(engine: Engine, made: Lists) -> None:
    turned = make(engine, ASKED, lists.BY_WORDS[::-1])
    assert turned.items == made.items
    assert turned.places == made.places
    by_rank = [id for side in lists.SIDES for id in made.places["default"]["Q1"][side]]
    shown = [item.id for item in made.of("Q1") if item.id in by_rank]
    assert shown != by_rank


def test_lists_are_read_as_they_were_written(made: Lists, tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    made.write(path)
    assert Lists.read(path) == made
    path.write_text("{}")
    with pytest.raises(UnknownLists, match=r"lists\.json holds no lists .*write them with"):
        Lists.read(path)


def test_long_texts_keep_their_beginning_and_end() -> None:
    words = [f"w{i}" for i in range(1000)]
    assert cut("a short  text") == "a short  text"
    found = cut(" ".join(words))
    head, _, rest = found.partition(" [… ")
    number, _, tail = rest.partition(" characters left out …] ")
    assert words[: len(head.split())] == head.split()
    assert words[-len(tail.split()) :] == tail.split()
    assert len(head) + len(tail) + int(number.replace(",", "")) == len(" ".join(words))
    assert len(head) <= 1000
    assert len(tail) <= 450


def item(id: str, side: str) -> Item:
    return Item(id, id.partition(".")[0], side, f"arg-{id}", "PRO", "Zoos", "a gist", "a text", 2)


@pytest.fixture
def small() -> Lists:
    """Two systems; of Q1 both show something, of Q2 only the second one."""
    items = [item("Q1.1", "for"), item("Q1.2", "for"), item("Q1.3", "against")]
    items += [item("Q2.1", "for"), item("Q2.2", "for")]
    places = {
        "one": {"Q1": {"for": ["Q1.1"], "against": ["Q1.3"]}, "Q2": {"for": [], "against": []}},
        "two": {
            "Q1": {"for": ["Q1.2", "Q1.1"], "against": []},
            "Q2": {"for": ["Q2.2", "Q2.1"], "against": []},
        },
    }
    claims = {"Q1": "", "Q2": "“zoos” are good"}
    return Lists({}, ASKED[:2], claims, items, places)


ROWS = (
    "Q1.1\t1\t1\t1\t",
    "Q1.2\t1\t0\t1\t",  # shown as for, stands against
    "Q1.3\t1\tn\t0\t",
    "Q2.1\t0\tn\t0\t",
    "Q2.2\t1\t1\t0\t",
    "Q2/against\t\t\t\t1",
)


def written(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["\t".join(COLUMNS), *rows, ""]), "utf-8")
    return path


def test_counts_by_hand(small: Lists, tmp_path: Path) -> None:
    judged = read(written(tmp_path / "labels.tsv", *ROWS), small)
    assert judged.complete(small) == ["Q1", "Q2"]
    # Known: of Q1 one for (Q1.1), one against (Q1.2); of Q2 one for and, as is said, one against.
    names = "good", "fillable", "shown", "usable", "snippet", "usable_snippet"
    of = [count(small, judged, system, ["Q1", "Q2"]) for system in ("one", "two")]
    one, two = ([getattr(counts, name).tolist() for name in names] for counts in of)
    assert one[:5] == [[1, 0], [2, 2], [2, 0], [2, 0], [1, 0]]
    assert two == [[1, 1], [2, 2], [2, 2], [2, 1], [2, 0], [2, 0]]
    table = counting.table(small, judged)
    assert "2 of 2 questions judged, 5 arguments." in table
    # Drawn are Q1 twice (1/2), both (1/4 and 1/2) or Q2 twice (0 and 1/2).
    assert "| **0.25** [0.00, 0.50] 1/4 | **0.50** [0.50, 0.50] 2/4 |" in table
    assert "| usable and right, of places known arguments can fill | +0.25 [0.00, 0.50] |" in table


def test_a_side_that_the_corpus_lacks_is_no_place(small: Lists, tmp_path: Path) -> None:
    rows = [*ROWS[:-1], "Q2/against\t\t\t\t0"]
    judged = read(written(tmp_path / "labels.tsv", *rows), small)
    assert count(small, judged, "two", ["Q2"]).fillable.tolist() == [1]


def test_labels_grow_and_the_last_one_about_an_item_counts(small: Lists, tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    append(path, {"item": "Q1.1", "usable": "1", "right": "1", "snippet": "1"})
    assert path.read_text().splitlines() == ["\t".join(COLUMNS), "Q1.1\t1\t1\t1\t"]
    for row in ROWS[1:4]:
        append(path, dict(zip(COLUMNS, row.split("\t"), strict=True)))
    append(path, {"item": "Q2.2", "usable": "1", "right": "0", "snippet": "0"})
    append(path, {"item": "Q2/for", "exists": "1"})
    assert read(path, small).complete(small) == ["Q1", "Q2"]  # Q2.2 stands against
    append(path, {"item": "Q2.2", "usable": "1", "right": "1", "snippet": "0"})
    assert read(path, small).complete(small) == ["Q1"]  # nothing that is shown stands against
    append(path, {"item": "Q2/against", "exists": "1"})
    assert read(path, small).complete(small) == ["Q1", "Q2"]
    assert read(path, small).items["Q2.2"] == Label(True, "1", False)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("Q9.1\t1\t1\t1\t", "item is 'Q9.1'; allowed: an id"),
        ("Q1.1\t2\t1\t1\t", "usable of Q1.1 is '2'; allowed: 0, 1"),
        ("Q1.1\t1\ty\t1\t", "right of Q1.1 is 'y'; allowed: 0, 1, n"),
        ("Q1.1\t1\t1", "snippet of Q1.1 is None; allowed: 0, 1"),
        ("Q1/for\t\t\t\tmaybe", "exists of Q1/for is 'maybe'; allowed: 0, 1"),
    ],
)
def test_a_wrong_line_is_named(small: Lists, tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(WrongLabel) as caught:
        read(written(tmp_path / "labels.tsv", ROWS[0], row), small)
    assert "labels.tsv:3: " in str(caught.value)
    assert said in str(caught.value)


def test_of_two_judges_the_first_one_counts(small: Lists) -> None:
    first = Labels({"Q1.1": Label(True, "1", True)})
    second = Labels({"Q1.1": Label(False, "n", True), "Q1.2": Label(True, "0", True)})
    both = merged([first, second])
    assert both.items == {"Q1.1": Label(True, "1", True), "Q1.2": Label(True, "0", True)}
    assert "1 pairs of labels" in counting.agreement([first, second])
    assert "usable: 0 equal" in counting.agreement([first, second])
    assert counting.agreement([first, Labels()]) == ""


def test_sheets_hold_whole_questions_and_every_item_once(small: Lists, tmp_path: Path) -> None:
    paths = sheets.write(small, str(tmp_path / "sheet-*.txt"), 2)
    texts = [path.read_text() for path in paths]
    assert [path.name for path in paths] == ["sheet-1.txt", "sheet-2.txt"]
    assert all(text.startswith("WHAT TO JUDGE") for text in texts)
    for one in small.items:
        places = [i for i, text in enumerate(texts) if f"\n{one.id}  shown as: " in text]
        assert places == [["Q1", "Q2"].index(one.question)]
    assert "“zoos” are good" in texts[1]
    with pytest.raises(ValueError, match=r"allowed: one with a \*"):
        sheets.write(small, "sheet.txt", 2)


def test_labels_hold_for_later_lists_wherever_an_argument_is_shown(
    small: Lists, tmp_path: Path
) -> None:
    labels = read(written(tmp_path / "labels.tsv", *ROWS), small)
    judged.write(tmp_path / "judged.tsv", small, labels)

    def begun(later: Lists) -> Labels:
        found = Labels()
        for row in judged.carried(tmp_path / "judged.tsv", later):
            found.add(row, later)
        return found

    assert begun(small) == labels
    turned = replace(
        small,
        items=[
            replace(item, id=f"{item.question}.{9 - place}", side=SIDES[item.side == "for"])
            for place, item in enumerate(small.items)
        ],
    )
    said = begun(turned).items
    assert len(said) == len(small.items)
    for place, item in enumerate(small.items):
        old, new = labels.items[item.id], said[f"{item.question}.{9 - place}"]
        assert (new.usable, new.snippet) == (old.usable, old.snippet)
        assert (old.right, new.right) in {("0", "1"), ("1", "0"), ("n", "n")}
    other = replace(small, items=[replace(item, argument="another") for item in small.items])
    assert begun(other).items == {}
    judged.write(tmp_path / "judged.tsv", other, Labels())
    assert begun(small).items == labels.items  # what is in no list now is kept
    (path,) = sheets.write(small, str(tmp_path / "*.txt"), 1, begun(small))
    assert "0 questions, 0 arguments" in path.read_text("utf-8")


def test_scores_count_shipped_labels_and_leave_the_others_out(
    engine: Engine, tmp_path: Path
) -> None:
    tenure = replace(ASKED[0], list="one")
    on_side = {s: engine.search(tenure.text, k=5, side=s, spread=True).hits.ids for s in SIDES}
    rows = [  # one is right, one on the wrong side, one not usable; one more is known
        f"Q1.1\t{on_side['for'][0]}\tfor\t1\t1\t1\t",
        f"Q1.2\t{on_side['against'][0]}\tfor\t1\t1\t0\t",
        f"Q1.3\t{on_side['against'][1]}\tagainst\t0\tn\t0\t",
        "Q1.4\tknown-elsewhere\tfor\t1\t0\t1\t",
        "Q9.1\tanother-question\tfor\t1\t1\t1\t",
    ]
    path = tmp_path / "judged.tsv"
    path.write_text("\n".join(["item\targument\tside\tusable\tright\tsnippet\texists", *rows]))
    table = scoring.table(engine, [tenure, ASKED[2]], ["default"], judged.known(path))
    places = sum(map(len, on_side.values()))
    assert f"| one | {places} | {places - 3} | 0.67 | 0.33 | 0.33 | 0 |" in table
    assert "|  | 0 | 0 | – | – | – | 0 |" in table
    assert f"| all | {places} | {places - 3} | 0.67 | 0.33 | 0.33 | 0 |" in table
