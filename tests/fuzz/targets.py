"""What reads a file, what sound files look like, and which changes are made to them."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import orjson

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
    return [b"\n".join(orjson.dumps(one) for one in _documents())]


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
    return [whole, rows, objects, b'[{"id": 1, "original_query": {"title": "a"}}]']


def _read_topics(path: Path) -> object:
    from argsearch.lab.runs.topics import read_topics

    return read_topics(path)


def _qrels() -> list[bytes]:
    return [b"\n".join((SAMPLE / "quality.qrels").read_bytes().split(b"\n")[:40])]


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
    from argsearch.engine.stance.model import DEFAULT_FILE

    return [DEFAULT_FILE.read_bytes()]


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


def _vectors() -> list[bytes]:
    words = [b"zoos", b"teachers", b"the", b"tenure"]
    rows = np.random.default_rng(0).normal(size=(4, 5)).astype("<f4")
    texts = [
        b" ".join([w, *(b"%.4f" % x for x in row)]) for w, row in zip(words, rows, strict=True)
    ]
    binary = b"".join(w + b" " + row.tobytes() for w, row in zip(words, rows, strict=True))
    return [b"\n".join(texts), b"4 5\n" + b"\n".join(texts), b"4 5\n" + binary]


def _read_vectors(path: Path) -> object:
    from argsearch.indexer.encoders.vector_files import FileVectors

    return FileVectors(path).vectors(["zoos", "teachers", "the", "unknown", ""])


_index: Path | None = None


def index() -> Path:
    """A folder with the sample's index, whose manifest is changed."""
    global _index
    if _index is None:
        from tempfile import mkdtemp

        from argsearch.indexer.build.build import BuildRequest, build
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


def fingerprinted(data: bytes, random: Random) -> bytes:
    """A manifest whose fingerprint fits; one in five is left as it is."""
    from argsearch.indexer.format.manifest import fingerprint

    try:
        manifest = orjson.loads(data)
        if random.random() < 0.8:
            manifest["fingerprint"] = fingerprint(manifest)
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
    "word-vectors": Target(_vectors, _read_vectors, ".vec", (BYTES, LINES, NUMBERS)),
    "manifests": Target(
        _manifests, _read_manifest, ".json", (JSON, JSON, BYTES, NUMBERS), fingerprinted
    ),
}
