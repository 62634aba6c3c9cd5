"""Runs as the shared tasks take them: their own checkers, on the topic and corpus forms by year."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from argsearch.api.cli.main import run as argsearch
from argsearch.indexer.corpus import read
from argsearch.lab.experiment.plan import PLANS_FOLDER
from argsearch.lab.runs import read_qrels, read_run, read_topics
from tests.indexes import Built

SAMPLE = Path(__file__).resolve().parents[2] / "indexer" / "sample"
NEEDS = "install the extra `dev` (tira)"


def topics_2020(folder: Path) -> None:
    """Touché 2020: title, description and narrative, each on lines of its own."""
    shutil.copy(SAMPLE / "topics.xml", folder / "topics.xml")


def queries_xml(folder: Path) -> None:
    """TIRA's form of a data set in ir_datasets."""
    parts = [
        f'<topic number="{n}"><query>{title}</query><original_query><query_id>{n}</query_id>'
        f"<title>{title}</title></original_query></topic>\n"
        for n, title in numbered()
    ]
    text = f"<topics>\n{''.join(parts)}</topics>\n"
    (folder / "queries.xml").write_text(text, encoding="utf-8")


def queries_jsonl(folder: Path) -> None:
    """TIRA's form with one JSON object a line."""
    lines = [
        {"qid": n, "query": title, "original_query": {"query_id": n, "title": title}}
        for n, title in numbered()
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "queries.jsonl").write_text(text, encoding="utf-8")


def numbered() -> list[tuple[str, str]]:
    found = read_topics(SAMPLE / "topics.xml")
    return [(str(int(topic.query_id) + 50), topic.title) for topic in found]


def arguments() -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads((SAMPLE / "arguments.json").read_text())["arguments"]
    return content


def corpus_2020(folder: Path) -> Path:
    """args.me of 2020 and 2021: one JSON object."""
    path = folder / "args-me.json"
    shutil.copy(SAMPLE / "arguments.json", path)
    return path


def corpus_2022(folder: Path) -> Path:
    """The preprocessed args.me of 2022: CSV whose cells hold Python literals."""
    path = folder / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "conclusion", "premises", "context", "sentences"])
        for a in arguments():
            sentences = [
                {"sent_id": f"{a['id']}__PREMISE__{i}", "sent_text": premise["text"]}
                for i, premise in enumerate(a["premises"], 1)
            ]
            cells = (repr(a["premises"]), repr(a.get("context", {})), repr(sentences))
            writer.writerow([a["id"], a["conclusion"], *cells])
    return path


def check(folder: Path, **configuration: object) -> None:
    """tira's checkers of a run, of its description, and of both together."""
    tira = pytest.importorskip("tira.check_format", reason=NEEDS)
    for form in ("run.txt", "ir_metadata", "run-with-metadata"):
        verdict, message = tira.check_format(folder, form, configuration)
        assert verdict.name == "OK", f"{form}: {message}"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("topics", "corpus"),
    [
        (topics_2020, corpus_2020),
        (queries_jsonl, corpus_2020),
        pytest.param(queries_xml, corpus_2022, marks=pytest.mark.slow),
    ],
)
def test_every_years_form(
    tmp_path: Path, topics: Callable[[Path], None], corpus: Callable[[Path], Path]
) -> None:
    source, out, index = tmp_path / "input", tmp_path / "output", tmp_path / "index"
    source.mkdir()
    topics(source)
    assert argsearch(["index", str(corpus(source)), "--out", str(index), "--quiet"]) == 0
    words = ["--index", str(index), "--input", str(source), "--output", str(out), "--quiet"]
    assert argsearch(["tira", *words]) == 0
    check(out)
    first = 1 if topics is topics_2020 else 51
    run = read_run(out / "run.txt")
    assert list(run.rankings) == [str(n) for n in range(first, first + 20)]
    assert run.remarks == []
    relevance = read_qrels(SAMPLE / "relevance.qrels").grades
    for query, ranking in run.rankings.items():
        judged = relevance[str(int(query) - first + 1)]
        assert judged.get(ranking.ids[0], 0) > 0


PUBLISHED = {"conclusion": "c", "premises": [{"text": "p", "stance": "CON"}], "context": {"u": 1}}


@pytest.mark.parametrize(
    ("line", "document"),
    [
        ({"text": "p"}, (None, "p", None, {})),
        ({"text": "p", "lang": "en"}, (None, "p", None, {"lang": "en"})),
        ({"text": "p", "original_document": {}}, (None, "p", None, {})),
        ({"text": "p", "original_document": {"body": "p"}}, (None, "p", None, {"body": "p"})),
        (
            {"text": "c p", "original_document": {"doc_id": "x", "title": "c", "text": "p"}},
            ("c", "p", None, {}),
        ),
        (
            {"text": "c p", "original_document": [{"title": "c", "text": "p", "stance": "con"}]},
            ("c", "p", "CON", {}),
        ),
        ({"text": "p c", "original_document": PUBLISHED}, ("c", "p", "CON", {"u": 1})),
        (
            {
                "text": "p None",
                "original_document": {
                    "doc_id": "x",
                    "conclusion": "None",
                    "premises": [["p", "PRO", []]],
                    "premises_texts": "p",
                    "topic": "t",
                },
            },
            (None, "p", "PRO", {"topic": "t"}),
        ),
    ],
)
@pytest.mark.parametrize("names", [("docno", "text"), ("doc_id", "default_text")])
def test_documents_as_tiras_loader_writes_them(
    tmp_path: Path, line: dict[str, Any], document: tuple[object, ...], names: tuple[str, str]
) -> None:
    given = {names[0]: "x", names[1]: line["text"], **{k: line[k] for k in line if k != "text"}}
    path = tmp_path / "documents.jsonl"
    # One document alone, several, and one so long that its line is cut where the form is told.
    for long in ("", "\n", "y" * 100_000):
        more = {"docno": "z", "text": long or "q"}
        path.write_text("\n".join(map(json.dumps, [given] if long == "\n" else [more, given])))
        argument = list(read(path))[-1]
        (premise,) = argument.premises
        stance = premise.stance.name if premise.stance else None
        assert argument.id == "x"
        assert (argument.conclusion, premise.text, stance, argument.context) == document


@pytest.mark.thorough
@pytest.mark.parametrize("topics", [queries_jsonl, topics_2020])
def test_the_input_folder_of_tiras_loader_is_indexed(
    tmp_path: Path, topics: Callable[[Path], None]
) -> None:
    beir = pytest.importorskip("ir_datasets.datasets.beir", reason="install `datasets`")
    source, out = tmp_path / "input", tmp_path / "output"
    source.mkdir()
    topics(source)
    lines = []
    for number, a in enumerate(arguments()):
        text = a["premises"][0]["text"]
        document = beir.BeirToucheDoc(a["id"], text, a["conclusion"], "PRO", "u")
        # As `map_doc` of tira.ir_datasets_loader, which needs more than the extra `dev`.
        line = {"docno": document.doc_id, "text": document.default_text()}
        lines.append(
            json.dumps(line | ({"original_document": document._asdict()} if number % 2 else {}))
        )
    (source / "documents.jsonl").write_text("\n".join(lines))
    words = ["--input", str(source), "--output", str(out), "--quiet"]
    assert argsearch(["tira", *words, "--set", "index.encoder=none"]) == 0
    check(out)
    assert len(read_run(out / "run.txt").rankings) == 20


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders of an experiment's runs."""
    folder = tmp_path_factory.mktemp("experiment")
    text = (PLANS_FOLDER / "sample.toml").read_text().replace("../../indexer", str(SAMPLE.parent))
    (folder / "sample.toml").write_text(text)
    words = [str(folder / "sample.toml"), "--cache", str(folder / "cache"), "--quiet"]
    assert argsearch(["experiment", *words, "--out", str(folder / "out")]) == 0
    return sorted(path.parent for path in (folder / "out/runs").rglob("run.txt.gz"))


@pytest.mark.thorough
def test_packed_runs_of_an_experiment(experiment: list[Path]) -> None:
    assert [folder.name for folder in experiment] == ["default", "dirichlet", "quality-alone"]
    for folder in experiment:
        check(folder)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:Please import:DeprecationWarning")
def test_ir_metadatas_own_tool_reads_the_description(
    experiment: list[Path], tmp_path: Path
) -> None:
    """It puts the description in front of the run, as comments, and reads it from there again."""
    metadata = pytest.importorskip(
        "repro_eval.metadata", reason="install repro_eval (tests/requirements.txt)"
    )
    for folder in experiment:
        plain = tmp_path / f"{folder.name}.txt"
        plain.write_bytes(gzip.decompress((folder / "run.txt.gz").read_bytes()))
        handler = metadata.MetadataHandler(str(plain), str(folder / "ir-metadata.yml"))
        assert handler.get_metadata()["method"]["name"].replace(" ", "-") == folder.name
        handler.write_metadata()
        again = metadata.MetadataHandler.read_metadata(f"{plain}_annotated")
        assert again["data"]["test collection"]["name"] == "arguments.json"
        assert again["tag"] == yaml.safe_load((folder / "ir-metadata.yml").read_text())["tag"]
        assert len(read_run(f"{plain}_annotated").rankings) == 20


def test_a_run_txt_of_somebody_else_stays(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topics_2020(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.txt").write_text("mine")
    words = ["tira", "--input", str(tmp_path), "--output", str(out), "--index", str(built())]
    assert argsearch([*words, "--quiet"]) == 2
    assert "--output" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["run.txt"]
    assert (out / "run.txt").read_text() == "mine"
    (out / "run.txt").unlink()
    for _ in range(2):  # its own is replaced
        assert argsearch([*words, "--quiet"]) == 0
    (out / "ir-metadata.yml").unlink()  # as where it was killed before it wrote that
    assert argsearch([*words, "--quiet"]) == 0
    (out / "ir-metadata.yml").unlink()
    (out / "run.txt").write_text("1 Q0 a 1 1.0 another-system\n")
    assert argsearch([*words, "--quiet"]) == 2
