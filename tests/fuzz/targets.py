"""What reads a file, what sound files look like, and which changes are made to them."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import re
import shutil
import tarfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import orjson
from safetensors.numpy import save

from tests.fuzz import mutations as m

HOUSE = Path(__file__).parent.parent.parent
SAMPLE = HOUSE / "indexer" / "sample"
QUESTION = "should teachers get tenure"


@dataclass(frozen=True)
class Target:
    """One reader."""

    seeds: Callable[[], list[bytes]]
    read: Callable[[Path], object]
    suffix: str
    mutations: tuple[m.Mutation, ...]
    finish: Callable[[bytes, Random], bytes] = field(default=lambda data, _random: data)
    """Makes checksums and fingerprints fit, as a hand that means harm would."""


def _documents(n: int = 6) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((SAMPLE / "arguments.json").read_bytes())["arguments"]
    for number, one in enumerate(found[:n]):
        one["context"] |= {"year": 2000 + number, "weight": 0.5, "nested": [[number], {"a": None}]}
    return found[:n]


def _argsme() -> list[bytes]:
    few = _documents()
    return [json.dumps({"arguments": few}).encode(), json.dumps(few).encode()]


def _lines() -> list[bytes]:
    original = {
        "doc_id": "b",
        "title": "c",
        "text": "p",
        "premises": [["p", "PRO", []], {"text": "q"}],
    }
    tira = {"docno": "a", "text": "c p", "original_document": original}
    return [b"\n".join(map(orjson.dumps, some)) for some in (_documents(), [tira, tira])]


def _csv() -> list[bytes]:
    simple = ["id,conclusion,premise,stance"]
    literal = ["id\tconclusion\tpremises\tcontext"]
    for one in _documents():
        premise = one["premises"][0]["text"].replace('"', "'")[:200]
        simple.append(f'{one["id"]},"{one["conclusion"]}","{premise}",PRO')
        literal.append(
            f"{one['id']}\t{one['conclusion']}\t[{{'text': 'a', 'stance': 'CON'}}]\t{{}}"
        )
    return ["\n".join(rows).encode() for rows in (simple, literal)]


def _kialo() -> list[bytes]:
    return [
        b"Discussion Title: Should zoos exist?\n\n1. Zoos should exist.\n1.1. Pro: They save "
        b"[species](http://a.b/c).\n1.1.1. Con: Few.\nof them\n1.2. Con: -> See 1.1.1.\n"
    ]


def _corpus(path: Path) -> int:
    """Every document, first skipping bad ones, then stopping at one."""
    from argsearch.indexer.corpus import read_many

    with suppress_known():
        sum(1 for _ in read_many([str(path)], on_error="skip"))
    return sum(1 for _ in read_many([str(path)], on_error="stop"))


def suppress_known() -> Any:
    """Errors with a line of their own, which the second reading raises too."""
    from argsearch.indexer.errors import ArgsearchError

    return suppress(ArgsearchError)


def _topics() -> list[bytes]:
    whole = (SAMPLE / "topics.xml").read_bytes()
    rows = b"1\tfirst question\n2\tsecond one\n"
    objects = b'{"query_id": "1", "title": "a"}\n{"qid": 2, "query": "b"}\n'
    declared = (
        b"<?xml version='1.0' encoding='iso-8859-1'?><!DOCTYPE t [<!ENTITY e '\xe9'>]><t xmlns='u'>"
        b"<topic id='1'><title>caf&e; <![CDATA[or]]> <i>tea</i>?</title></topic></t>"
    )
    wide = declared.decode("latin-1").replace("iso-8859-1", "utf-16").encode("utf-16")
    return [whole, rows, objects, declared, wide, b'[{"id": 1, "original_query": {"title": "a"}}]']


def _read_topics(path: Path) -> object:
    from argsearch.lab.runs.topics import read_topics

    return read_topics(path)


def _qrels() -> list[bytes]:
    plain = b"\n".join((SAMPLE / "quality.qrels").read_bytes().split(b"\n")[:40])
    return [plain, b"1 s a 1\r1 t a 0\r1 t b 2\r\n2 s a -1\n"]


def _read_qrels(path: Path) -> object:
    from argsearch.lab.runs.trec import read_qrels

    return read_qrels(path).not_negative()


def _runs() -> list[bytes]:
    rows = [f"{q} Q0 doc{d} {d} {20 - d}.5 tag" for q in range(1, 5) for d in range(1, 9)]
    return ["\n".join(rows).encode()]


def _read_run(path: Path) -> object:
    from argsearch.lab.runs.trec import read_run

    return read_run(path)


def _configs() -> list[bytes]:
    return [path.read_bytes() for path in sorted((HOUSE / "configs").glob("*.toml"))]


def _read_config(path: Path) -> object:
    from argsearch.engine.config import load_config

    return load_config(path).to_dict()


def _quality_models() -> list[bytes]:
    from argsearch.indexer.quality import DEFAULT_FILE

    return [DEFAULT_FILE.read_bytes()]


def _read_quality(path: Path) -> object:
    from argsearch.indexer.quality import load_quality_model

    return load_quality_model(str(path)).predict(["A reason, since it is one.", ""])


def _stance_models() -> list[bytes]:
    from argsearch.engine.stance.model import DEFAULT_STANCE_FILE

    return [DEFAULT_STANCE_FILE.read_bytes()]


def _read_stance(path: Path) -> object:
    from argsearch.engine.stance.model import _load

    return _load.__wrapped__(path)  # kept for a path, whose content changes here


def sealed(data: bytes, random: Random) -> bytes:
    """A model file whose own checksum fits what it holds; one in five is left as it is."""
    from argsearch.indexer.model_files import digest

    if random.random() < 0.2:
        return data
    try:
        text, _, arrays = m.opened(data)
        return m.packed(text, digest(text, arrays), arrays)
    except Exception:  # what is no model file any more needs no checksum
        return data


_index: Path | None = None


def index() -> Path:
    """A folder with the sample's index, whose manifest is changed."""
    global _index
    if _index is None:
        from tempfile import mkdtemp

        from argsearch.indexer.building.build import BuildRequest, build
        from argsearch.indexer.format.settings import IndexSettings

        _index = Path(mkdtemp(prefix="argsearch-fuzz-")) / "index"
        settings = IndexSettings(parts=("vectors", "near_duplicates"))
        build(BuildRequest([str(SAMPLE / "arguments.json")], _index, settings))
    return _index


def _manifests() -> list[bytes]:
    return [(index() / "manifest.json").read_bytes()]


def _read_manifest(path: Path) -> object:
    from argsearch.engine import Engine

    folder = path.parent / "index"
    if not folder.exists():
        shutil.copytree(index(), folder)
    shutil.copyfile(path, folder / "manifest.json")
    with Engine.open(folder) as engine:
        return [hit.id for hit in engine.search(QUESTION, k=3).hits]


def _csv_of(columns: str, row: Callable[[int], Sequence[object]], n: int, mark: str = ",") -> bytes:
    rows = [columns.replace(",", mark), *(mark.join(map(str, row(i))) for i in range(n))]
    return "\n".join(rows).encode()


def _scores() -> list[bytes]:
    parts = ("train", "dev", "test")
    ibm = "topic,argument,WA,set,stance_WA,stance_WA_conf"
    return [
        _csv_of("topic,text,score,part", lambda i: (i % 4, f"text {i}", i / 8, "train"), 12),
        _csv_of("topic,text,score", lambda i: (f"t{i % 3}", f'"a, {i}"', -i), 9),
        _csv_of(ibm, lambda i: (i % 3, f"text {i}", i / 9, parts[i % 3], 1, 0.9), 9),
    ]


def _read_scores(path: Path) -> object:
    from argsearch.lab.judgements.scored import argq30k, plain_table
    from argsearch.lab.training.stance.training import ARGUMENTS, rank_30k

    if b"argument" not in (content := path.read_bytes()):
        return plain_table(path)
    packed = path.parent / ARGUMENTS
    packed.parent.mkdir(parents=True, exist_ok=True)
    packed.write_bytes(lzma.compress(content, preset=0))
    with suppress_known():
        rank_30k(path.parent)
    return argq30k(packed.parent)


_WEBIS_COLUMNS = (
    "Topic ID,Discussion ID,Argument ID,Premise,Is Argument?,Text Length,Relevance,"
    "Rhetorical Quality,Logical Quality,Dialectical Quality,Combined Quality"
)


def _webis_row(i: int) -> tuple[object, ...]:
    return i % 2, f"d{i}", i, f'"It is so, for {i}."', i % 3 > 0, 9, *(i / 9 - j for j in range(5))


def _webis() -> list[bytes]:
    return [_csv_of(_WEBIS_COLUMNS, _webis_row, 44)]


def _read_webis(path: Path) -> object:
    from argsearch.lab.judgements import webis

    root = path.with_name("webis")
    for name in ("full", "raw"):
        (root / name).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, root / "full" / "webis-argquality20-arguments.csv")
    ranks = _csv_of(
        "Model,Topic ID,Rank,Discussion ID,Argument ID",
        lambda i: (("DirichletLM", "DPH", "BM25")[i % 3], i % 2, i, f"d{i}", i),
        6,
    )
    (root / "full" / "webis-argquality20-ranking.csv").write_bytes(ranks)
    with suppress_known():
        webis.load(root)
    return webis.read_judgements(path)


def _webis_parts() -> list[bytes]:
    sides = "Discussion ID A,Argument ID A,Discussion ID B,Argument ID B,Comparison"
    return [
        _csv_of(sides, lambda i: (f"d{i}", i, f"d{i + 2}", i + 2, ("A", "B", "Tie")[i % 3]), 12),
        _csv_of(
            "Model,Topic ID,Rank,Discussion ID,Argument ID",
            lambda i: (("DirichletLM", "DPH", "BM25")[i % 3], i % 2, i, f"d{i}", i),
            12,
        ),
    ]


def _read_webis_parts(path: Path) -> object:
    """As raw comparisons, then as rankings, beside sound arguments."""
    from argsearch.lab.judgements import scored, webis

    root, (raw, ranks) = path.with_name("webis"), _webis_parts()
    for name in ("full", "raw"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "full" / "webis-argquality20-arguments.csv").write_bytes(_webis()[0])
    ranking = root / "full" / "webis-argquality20-ranking.csv"
    ranked = path.read_bytes().startswith(b"Model")
    ranking.write_bytes(path.read_bytes() if ranked else ranks)
    for name in webis.SCORE_DIMENSIONS:
        comparisons = root / "raw" / f"webis-argquality20-raw-{name}.csv"
        comparisons.write_bytes(raw if ranked else path.read_bytes())
    loaded = webis.load(root)
    with suppress_known():
        webis.raw_comparisons(loaded, "logical")
    with suppress_known():  # of too few topics
        scored.webis(root)
    return scored.read_webis(root, "logical")


def _comparisons() -> list[bytes]:
    outcomes = ("A", "tie", "second", "-1")
    return [
        _csv_of("first,second,outcome", lambda i: (f"i{i % 5}", f"j{i % 3}", outcomes[i % 4]), 9),
        _csv_of("topic,first,second,winner", lambda i: (i % 2, i, i + 2, outcomes[i % 4]), 8, "\t"),
        _csv_of("unit,label,annotator", lambda i: (i // 3, i % 4, f"a{i % 3}"), 12, ";"),
    ]


def _read_comparisons(path: Path) -> object:
    """As comparisons by each method, as votes, and as items."""
    from argsearch.lab.judgements import comparisons as c

    with suppress_known():
        return c.agreement(c.read_votes(path, ["unit"], "label", "annotator"))
    with suppress_known():
        c.design(c.read_items(path), 2)
    compared = c.read_comparisons(path)
    return [c.fit(compared, c.FitOptions(method)) for method in c.COMPARISON_METHODS]


def _ratings() -> list[bytes]:
    columns = "annotator,argumentative,argument,#id,issue,stance," + ",".join(
        ("cogency", "reasonableness", "effectiveness", "overall quality")
    )
    levels = ("1 (Low)", "2 (Average)", "3 (High)")

    def row(i: int) -> Sequence[object]:
        found = [levels[(i // 3 * j + i) % 3] for j in range(1, 5)]
        return i % 3 + 1, "y", f"so\xe4 {i // 3}", i // 3, f"issue-{i // 6}", "yes-it-is", *found

    return [_csv_of(columns, row, 24, "\t").decode().replace("\n", "\r").encode("latin-1")]


def _read_ratings(path: Path) -> object:
    from argsearch.lab.judgements.scored import dagstuhl

    return dagstuhl(path)


def _archives() -> list[bytes]:
    """Of UKPConvArg1 and of IBM-ArgQ, unpacked and packed."""
    found = []
    ranked = _csv_of("#id,rank,argument", lambda i: (i, i / 9, f"argument {i}"), 8, "\t")
    judged = _csv_of(
        "#id,label,a1,a2",
        lambda i: (i, f"a{i % 2 + 1}", f"argument {i}", f"argument {i + 1}"),
        7,
        "\t",
    )
    for (scores, pairs), mode in product(
        (("UKPConvArg1-Ranking-CSV/%s.csv", "UKPConvArg1Strict-CSV/%s.csv"),
         ("IBM-ArgQ-6.3kArgs/%s-(PRO).tsv", "IBM-ArgQ-9.1kPairs/%s-(PRO).tsv")),
        ("w", "w:gz"),
    ):  # fmt: skip
        with tarfile.open(fileobj=(held := io.BytesIO()), mode=mode) as archive:  # type: ignore[call-overload]
            for name in (p % f"ban-zoos{i}_yes" for i in range(3) for p in (scores, pairs)):
                content = ranked if "Rank" in name or "6.3k" in name else judged
                (member := tarfile.TarInfo(name)).size = len(content)
                archive.addfile(member, io.BytesIO(content))
        found.append(held.getvalue())
    return found


def _read_archive(path: Path) -> object:
    from argsearch.lab.judgements.scored import LABELS, argq, labelled, ukp

    with suppress_known():
        scored = argq(path)
        return [labelled(scored, labels) for labels in LABELS]
    return ukp(path)


def _plans() -> list[bytes]:
    return [path.read_bytes() for path in sorted((HOUSE / "configs" / "ltr").glob("*.toml"))]


def _read_training_plan(path: Path) -> object:
    from argsearch.lab.training.listwise.settings import read_plan

    return read_plan(path).to_dict()


def _experiments() -> list[bytes]:
    shipped = sorted((HOUSE / "configs" / "experiments").glob("*.toml"))
    return [
        re.sub(rb"\$\{[A-Z_]+\}", b"data", found)
        for path in shipped
        if b"[experiment]" in (found := path.read_bytes())
    ]


def _read_experiment(path: Path) -> object:
    from argsearch.lab.experiment.plan import read_plan

    return read_plan(path)


def _tokens() -> list[bytes]:
    return [b"a-token-of-a-reader-0123456789abcdef\n" * 2]


def _read_tokens(path: Path) -> object:
    from argsearch.api.http.access import read_tokens

    return read_tokens(path)


def _weights() -> list[bytes]:
    return [save({"embedding.weight": np.ones((6, 4), np.float16)})]


def _read_weights(path: Path) -> object:
    from argsearch.indexer.encoders.wordllama import open_vectors

    return open_vectors(path).sum()


def fingerprinted(data: bytes, random: Random) -> bytes:
    """A manifest whose fingerprint fits; one in five is left as it is."""
    from argsearch.indexer.format.manifest import sealed

    try:
        manifest = orjson.loads(data)
        if random.random() < 0.8:
            manifest = sealed(manifest)
        return orjson.dumps(manifest)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return data


def gzipped(data: bytes, random: Random) -> bytes:
    """Packed, and then sometimes damaged."""
    whole = gzip.compress(data, 1)
    return m.of_bytes(whole, random) if random.random() < 0.5 else whole


BYTES, LINES, JSON, NUMBERS = m.of_bytes, m.of_lines, m.of_json, m.of_numbers
TARGETS: dict[str, Target] = {
    "argsme": Target(_argsme, _corpus, ".json", (BYTES, JSON, JSON, NUMBERS)),
    "argsme-packed": Target(_argsme, _corpus, ".json.gz", (BYTES, JSON, NUMBERS), gzipped),
    "jsonlines": Target(_lines, _corpus, ".jsonl", (BYTES, LINES, JSON, JSON, NUMBERS)),
    "csv": Target(_csv, _corpus, ".csv", (BYTES, LINES, LINES, NUMBERS)),
    "kialo": Target(_kialo, _corpus, ".txt", (BYTES, LINES, LINES, NUMBERS)),
    "topics": Target(_topics, _read_topics, ".xml", (BYTES, LINES, m.of_markup, JSON, NUMBERS)),
    "qrels": Target(_qrels, _read_qrels, ".qrels", (BYTES, LINES, LINES, NUMBERS)),
    "runs": Target(_runs, _read_run, ".txt", (BYTES, LINES, LINES, NUMBERS)),
    "runs-packed": Target(_runs, _read_run, ".txt.gz", (BYTES, LINES, NUMBERS), gzipped),
    "configurations": Target(_configs, _read_config, ".toml", (BYTES, LINES, LINES, NUMBERS)),
    "quality-models": Target(
        _quality_models, _read_quality, ".safetensors", (m.of_model, m.of_model, BYTES), sealed
    ),
    "stance-models": Target(
        _stance_models, _read_stance, ".safetensors", (m.of_model, m.of_model, BYTES), sealed
    ),
    "manifests": Target(
        _manifests, _read_manifest, ".json", (JSON, JSON, BYTES, NUMBERS), fingerprinted
    ),
    "scores": Target(_scores, _read_scores, ".csv", (BYTES, LINES, LINES, NUMBERS)),
    "webis": Target(_webis, _read_webis, ".csv", (BYTES, LINES, LINES, NUMBERS)),
    "webis-parts": Target(_webis_parts, _read_webis_parts, ".csv", (BYTES, LINES, LINES, NUMBERS)),
    "comparisons": Target(_comparisons, _read_comparisons, ".csv", (BYTES, LINES, LINES, NUMBERS)),
    "ratings": Target(_ratings, _read_ratings, ".csv", (BYTES, LINES, NUMBERS)),
    "archives": Target(_archives, _read_archive, ".tar", (BYTES, LINES)),
    "training-plans": Target(_plans, _read_training_plan, ".toml", (BYTES, LINES, LINES, NUMBERS)),
    "experiments": Target(_experiments, _read_experiment, ".toml", (BYTES, LINES, LINES, NUMBERS)),
    "tokens": Target(_tokens, _read_tokens, ".txt", (BYTES, LINES)),
    "encoder-weights": Target(_weights, _read_weights, ".safetensors", (BYTES, NUMBERS)),
}
