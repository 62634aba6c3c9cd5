"""One parsed document: what is accepted, what is refused and with which words."""

from __future__ import annotations

from typing import Any

import pytest

from argsearch.indexer.corpus import Argument, Premise, ReadReport, Stance
from argsearch.indexer.corpus.documents import to_argument
from argsearch.indexer.corpus.report import DocumentFault


def document(**changes: Any) -> dict[str, Any]:
    """A good document, changed."""
    good = {
        "id": "a",
        "conclusion": "c",
        "premises": [{"text": "p", "stance": "PRO"}],
        "context": {},
    }
    return good | changes


@pytest.mark.parametrize(
    ("written", "stance"), [("pro", Stance.PRO), ("Con", Stance.CON), (" con ", Stance.CON)]
)
def test_stances(written: str, stance: Stance) -> None:
    made = to_argument(document(premises=[{"text": "p", "stance": written}]), ReadReport())
    assert made.premises[0].stance is stance


def test_what_may_be_absent() -> None:
    made = to_argument({"id": 7, "premises": [{"text": "p"}]}, ReadReport())
    assert made == Argument("7", None, (Premise("p", None),), {})


BAD: list[tuple[Any, str, str]] = [
    ([1, 2], "document", "it must be an object with id, conclusion, premises and context, not"),
    ({"premises": []}, "id", "id is missing"),
    (document(id=None), "id", "id must be a string without white space of at most 512 bytes, not"),
    (document(id=""), "id", "id must be a string without white space of at most 512 bytes, not ''"),
    (document(id=True), "id", "id must be a string without white space of at most 512 bytes, not"),
    (document(id="a b"), "id", "id must be a string without white space of at most 512 bytes, not"),
    (document(id="a\tb"), "id", "id must be a string without white space of at most 512 bytes"),
    (document(id="a\u2028b"), "id", "id must be a string without white space of at most 512 bytes"),
    (document(id="a\u2003b"), "id", "id must be a string without white space of at most 512 bytes"),
    (document(id="a\0"), "id", "id must be a string without white space of at most 512 bytes, not"),
    (document(id="a\x85"), "id", "id must be a string without white space of at most 512 bytes"),
    (document(id="é" * 257), "id", "id must be a string without white space of at most 512 bytes"),
    (document(conclusion=5), "conclusion", "conclusion must be a string or null, not 5"),
    ({"id": "a"}, "premises", "premises is missing"),
    (document(premises="p"), "premises", 'premises must be a list of {"text": ..., "stance"'),
    (document(premises=None), "premises", 'premises must be a list of {"text": ..., "stance"'),
    (document(premises={"text": "p"}), "premises", 'premises must be a list of {"text": ...'),
    (document(premises=["p"]), "premises", "premises must be objects with text, not 'p'"),
    (document(premises=[[]]), "premises", "premises must be objects with text, not []"),
    (document(premises=[{"stance": "PRO"}]), "premises", "premises must be objects with text, not"),
    (document(premises=[{"text": None}]), "premises", "a premise's text must be a string, not"),
    (document(premises=[{"text": "p", "stance": "MAYBE"}]), "stance", "be PRO, CON or null, not"),
    (document(premises=[{"text": "p", "stance": ""}]), "stance", "CON or null, not ''"),
    (document(premises=[{"text": "p", "stance": ["PRO"]}]), "stance", "CON or null, not ['PRO']"),
    (document(premises=[{"text": "p", "stance": 1}]), "stance", "CON or null, not 1"),
    (document(context=[1]), "context", "context must be an object or null, not [1]"),
]


@pytest.mark.parametrize(("bad", "kind", "message"), BAD)
def test_a_bad_document_says_what_is_wrong(bad: Any, kind: str, message: str) -> None:
    report = ReadReport()
    with pytest.raises(DocumentFault) as caught:
        to_argument(bad, report)
    assert caught.value.kind == kind
    assert message in caught.value.problem
    assert report == ReadReport()


def test_a_long_bad_value_is_shortened() -> None:
    with pytest.raises(DocumentFault) as caught:
        to_argument(document(premises="word " * 1_000_000), ReadReport())
    assert len(caught.value.problem) < 200


@pytest.mark.parametrize("id_", ["é" * 256, "\U0001f600", "a\u200db", "x" * 512])
def test_unusual_ids_are_kept(id_: str) -> None:
    assert to_argument(document(id=id_), ReadReport()).id == id_


def test_nesting_of_the_context() -> None:
    deep: Any = 1
    for _ in range(64):
        deep = {"a": [deep]} if isinstance(deep, int) else [deep]
    with pytest.raises(DocumentFault, match="context has more than 64 nested levels"):
        to_argument(document(context={"x": deep}), ReadReport())
    assert to_argument(document(context={"x": deep[0][0]}), ReadReport()).context["x"] == deep[0][0]


def test_other_keys_of_a_document_go_into_its_context() -> None:
    made = to_argument(document(stance="CON", rank=3, context={"rank": 1}), ReadReport())
    assert made.context == {"rank": 1, "document.rank": 3, "stance": "CON"}
    assert to_argument({"id": "a", "premises": [], "x": 1, "y": 2}, ReadReport()).context == {
        "x": 1,
        "y": 2,
    }


def test_what_a_premise_holds_beside_text_and_stance_goes_into_the_context() -> None:
    annotation = {"start": 0, "end": 1, "source": "s"}
    premises = [
        {"text": "p", "stance": "PRO", "annotations": [annotation]},
        {"text": "q", "stance": "PRO", "annotations": []},
    ]
    made = to_argument(document(premises=premises), ReadReport())
    assert made.context == {"premises": [{"annotations": [annotation]}, {}]}
    assert to_argument(document(premises=premises[1:]), ReadReport()).context == {}


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({}, (0, 0, 0)),
        ({"conclusion": None}, (1, 0, 0)),
        ({"conclusion": " \n"}, (0, 1, 0)),
        ({"conclusion": ""}, (0, 1, 0)),
        ({"premises": []}, (0, 0, 1)),
        ({"premises": [{"text": ""}, {"text": " "}]}, (0, 0, 1)),
        ({"premises": [{"text": ""}, {"text": "p"}]}, (0, 0, 0)),
    ],
)
def test_what_a_report_counts(changes: dict[str, Any], counts: tuple[int, int, int]) -> None:
    report = ReadReport()
    report.keep(to_argument(document(**changes), report))
    assert (report.null_conclusions, report.empty_conclusions, report.empty_premises) == counts
    assert report.documents == 1
