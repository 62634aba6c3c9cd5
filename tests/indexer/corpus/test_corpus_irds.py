"""`irds:NAME` through the real ir_datasets, its files laid where it would have put them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from argsearch.indexer.corpus import Argument, CorpusError, Premise, ReadReport, Stance, read
from argsearch.indexer.corpus.documents import to_argument
from argsearch.indexer.corpus.irds import of_args_me, of_text, records
from argsearch.indexer.corpus.report import SourceReport
from argsearch.indexer.errors import MissingExtra

pytestmark = pytest.mark.datasets
argsme = pytest.importorskip(
    "ir_datasets.formats.argsme", reason="ir_datasets is absent: pip install -e '.[datasets]'"
)

CONTEXT = {
    "sourceId": "S1",
    "sourceTitle": "Title",
    "sourceUrl": "https://example.org/1",
    "sourceDomain": "debate.org",
    "sourceText": "Text of the debate.",
    "sourceTextConclusionStart": 0,
    "sourceTextConclusionEnd": 4,
    "sourceTextPremiseStart": 5,
    "sourceTextPremiseEnd": 9,
    "previousArgumentInSourceId": "S1-A0",
    "nextArgumentInSourceId": "S1-A2",
    "topic": "Cars",
    "acquisitionTime": "2019-04-18T11:12:36Z",
    "date": "1996-10-28T23:00:00Z",
    "author": "A. Author",
    "authorImage": "https://example.org/a.png",
    "authorOrganization": "O",
    "authorRole": "Opposition",
    "mode": "person",
    "aspects": [{"name": "Jobs", "weight": 2.0, "normalizedWeight": 0.5, "rank": 1}],
}
LEAST = {
    "sourceId": "S2",
    "sourceTitle": "T",
    "topic": "x",
    "acquisitionTime": "2019-04-18T11:12:36Z",
}


def document(id_: str, context: dict[str, Any] = LEAST, **changes: Any) -> dict[str, Any]:
    premises = [{"text": f"premise of {id_}", "stance": "PRO", "annotations": []}]
    return {"id": id_, "conclusion": "c", "premises": premises, "context": context} | changes


def test_a_document_comes_back_as_it_was_in_the_file() -> None:
    annotation = {"start": 0, "end": 3, "source": "s"}
    premises = [{"text": "p", "stance": "CON", "annotations": [annotation]}]
    for made in (document("a", CONTEXT), document("b", premises=premises)):
        assert of_args_me(argsme.ArgsMeDoc.from_json(made)) == made


def test_every_domain_and_mode_keeps_its_name() -> None:
    for domain in ("debate.org", "debatepedia", "debatewise", "idebate", "canadian-parliament"):
        for mode in ("person", "discussion"):
            made = document("a", {**LEAST, "sourceDomain": domain, "mode": mode})
            assert of_args_me(argsme.ArgsMeDoc.from_json(made)) == made


def test_none_as_ir_datasets_writes_it_is_no_conclusion() -> None:
    made = argsme.ArgsMeDoc.from_json(document("a", conclusion=None))
    assert made.conclusion == "None"
    assert of_args_me(made)["conclusion"] is None


def test_a_processed_document_keeps_its_sentences() -> None:
    sentences = [{"sent_id": "a__PREMISE__1", "sent_text": "p"}]
    row = {key: repr(value) for key, value in document("a").items()}
    row |= {"id": "a", "conclusion": "c", "sentences": repr(sentences)}
    made = of_args_me(argsme.ArgsMeProcessedDoc.from_csv(row))
    assert made == document("a", {**LEAST, "sentences": sentences})


def test_documents_with_a_title_and_a_text() -> None:
    beir = pytest.importorskip("ir_datasets.datasets.beir")
    touche = beir.BeirToucheDoc("a", "text", "title", "con", "https://example.org")
    assert to_argument(of_text(touche), ReadReport()) == Argument(
        "a", "title", (Premise("text", Stance.CON),), {"url": "https://example.org"}
    )
    plain = to_argument(of_text(beir.BeirTitleDoc("a", "text", "")), ReadReport())
    assert plain == Argument("a", None, (Premise("text"),), {})


def in_a_process_of_its_own(home: Path, name: str) -> dict[str, Any]:
    """Reads irds:NAME with ir_datasets at home in the folder (it looks only once a process)."""
    code = (
        "import json, sys; from argsearch.indexer.corpus import ReadReport, read; "
        "r = ReadReport(); "
        "a = [x.to_json() for x in read(sys.argv[1], report=r)]; "
        "print(json.dumps({'arguments': a, 'report': r.describe()}))"
    )
    environment = {**os.environ, "IR_DATASETS_HOME": str(home), "IR_DATASETS_DL_TRIES": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, f"irds:{name}"],
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        return {"error": done.stderr.splitlines()[-1]}
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The five portals of args.me 2020-04-01, two documents each (one id appears twice)."""
    folder = tmp_path / "argsme" / "2020-04-01"
    folder.mkdir(parents=True)
    for portal in ("debateorg", "debatepedia", "debatewise", "idebate", "parliamentary"):
        made = [document(f"{portal}-1", CONTEXT), document("same", conclusion=None)]
        (folder / f"{portal}.json").write_text(json.dumps({"arguments": made}))
    return tmp_path


@pytest.mark.thorough
def test_args_me_as_ir_datasets_reads_it(home: Path) -> None:
    result = in_a_process_of_its_own(home, "argsme/2020-04-01")
    portals = ["debateorg", "debatepedia", "debatewise", "idebate", "parliamentary"]
    expected = [
        document("debateorg-1", CONTEXT),
        document("same", conclusion=None),
        *(document(f"{portal}-1", CONTEXT) for portal in portals[1:]),
    ]
    for made in expected:
        del made["premises"][0]["annotations"]
    assert result["arguments"] == expected
    report = result["report"]
    assert (report["name"], report["documents"]) == ("irds:argsme/2020-04-01", 6)
    assert (report["duplicates"], report["null_conclusions"]) == (4, 1)


@pytest.mark.thorough
def test_the_digest_is_that_of_the_documents(home: Path) -> None:
    path = home / "argsme" / "2020-04-01" / "idebate.json"
    described = in_a_process_of_its_own(home, "argsme/2020-04-01/idebate")["report"]
    made = json.loads(path.read_bytes())["arguments"]
    lines = b"".join(orjson.dumps(document) + b"\n" for document in map(sorted_like_irds, made))
    assert described["sha256"] == sha256(lines).hexdigest()


def sorted_like_irds(made: dict[str, Any]) -> dict[str, Any]:
    return of_args_me(argsme.ArgsMeDoc.from_json(made))


@pytest.mark.thorough
def test_a_document_that_ir_datasets_cannot_parse(home: Path) -> None:
    broken = document("x", premises=[{"text": "p", "stance": None}])
    path = home / "argsme" / "2020-04-01" / "idebate.json"
    path.write_text(json.dumps({"arguments": [document("a"), broken]}))
    error = in_a_process_of_its_own(home, "argsme/2020-04-01/idebate")["error"]
    assert "irds:argsme/2020-04-01/idebate: document 1: ir_datasets failed (ValueError: " in error
    assert "Unknown stance None); fix its download, or give the corpus file instead" in error


def test_a_name_that_ir_datasets_does_not_know() -> None:
    with pytest.raises(CorpusError, match="irds:argsme/nope: ir_datasets has no data set"):
        list(read("irds:argsme/nope"))


def test_without_ir_datasets_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingExtra, match=r"pip install 'argument-search\[datasets\]'"):
        list(records("irds:argsme/1.0", ReadReport(), SourceReport("")))
