"""An index that is streamed to a real server: the answers of the directory of the same clusters."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.query.filters import where
from argsearch.indexer.building.build import BuildReport, BuildRequest, build
from argsearch.indexer.building.changing import ChangeReport, add, rebuild, remove
from argsearch.indexer.corpus.report import CorpusError
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.server import bulk
from argsearch.indexer.server.client import Server, ServerError
from argsearch.indexer.server.draft import WriteIncomplete
from argsearch.indexer.server.generations import behind, current, read_meta
from argsearch.indexer.server.schema import CHANGE_ROW
from argsearch.indexer.server.writing import write
from tests.contracts.agreement import assert_same, indices
from tests.servers.proxy import Answer, Proxy

pytestmark = pytest.mark.servers
SAMPLE = Path(__file__).resolve().parents[2] / "indexer" / "sample" / "arguments.json"
ASKED: tuple[dict[str, Any], ...] = (
    {"config": "default", "k": 60},
    {"config": "heimdall-2021", "k": 60, "facets": ("stance", "source", "words", "date")},
    {"config": "dirichlet", "k": 400, "where": ("words >= 50",)},
    {"sort": "-words", "k": 30},
)
QUESTIONS = ("should zoos be closed", "changed", "the")


def documents() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(SAMPLE.read_text(encoding="utf-8"))["arguments"]
    return found


def corpus(path: Path, arguments: Sequence[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in arguments), encoding="utf-8")
    return str(path)


def changed(argument: dict[str, Any], more: str = "changed") -> dict[str, Any]:
    premises = [{**one, "text": f"{one['text']} {more}"} for one in argument["premises"]]
    return {**argument, "premises": premises}


def streamed(source: str, out: str | Path, *parts: str, **asked: Any) -> BuildReport:
    return build(BuildRequest([source], out, IndexSettings(parts=parts), **asked))


def assert_equal(address: str, directory: Path, asked: Sequence[dict[str, Any]] = ASKED) -> None:
    """Both answer alike; each has a fingerprint of its own."""
    with Engine.open(address) as remote, Engine.open(directory) as embedded:
        for question in QUESTIONS:
            for how in asked:
                found, wanted = (one.search(question, **how) for one in (remote, embedded))
                assert_same(replace(found, fingerprint=wanted.fingerprint), wanted)
                assert found.facets == wanted.facets
                assert found.groups == wanted.groups


def test_a_streamed_index_answers_as_the_directory(server: Server, sample_index: Path) -> None:
    address = str(server.address)
    report = streamed(str(SAMPLE), address)
    with Engine.open(address) as remote, Engine.open(sample_index) as embedded:
        assert np.array_equal(remote.backend.centroids, embedded.backend.centroids)
        assert remote.info.tokens == embedded.info.tokens
        manifest, wanted = remote.info.manifest, embedded.info.manifest
        assert manifest["corpus"]["sha256"] == wanted["corpus"]["sha256"]
    assert report.counts.items() <= wanted["counts"].items()
    assert_equal(address, sample_index)
    known = streamed(str(SAMPLE), address, clusters_from=sample_index, workers=2)
    assert known.fingerprint == report.fingerprint
    assert behind(server) == indices(server)


def test_standard_input_and_a_pipe_are_read_once(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = corpus(tmp_path / "some.jsonl", documents()[:60])
    stream = SimpleNamespace(buffer=io.BytesIO(Path(source).read_bytes()))
    monkeypatch.setattr("sys.stdin", stream)
    report = streamed("-", str(server.address))
    assert report.read.name == "standard input"
    assert report.fingerprint == streamed(source, str(server.address)).fingerprint
    read, write_end = os.pipe()
    os.write(write_end, "".join(json.dumps(one) + "\n" for one in documents()[:20]).encode())
    os.close(write_end)
    try:
        assert streamed(f"/dev/fd/{read}", str(server.address)).counts["documents"] == 20
    finally:
        os.close(read)


@pytest.mark.parametrize(("documents_now", "part"), [(30, "near_duplicates"), (41, "vectors")])
def test_a_corpus_that_changes_meanwhile_is_refused(
    server: Server, tmp_path: Path, part: str, documents_now: int
) -> None:
    path = tmp_path / "grows.jsonl"
    corpus(path, documents()[:40])

    def progress(stage: str, _done: int, _of: int | None = None) -> None:
        if stage == "clusters":
            corpus(path, documents()[40 : 40 + documents_now])

    request = BuildRequest([str(path)], str(server.address), IndexSettings(parts=(part,)))
    with pytest.raises(CorpusError, match="it changed while the index was being built from it"):
        build(request, progress)
    assert behind(server) == []


def test_quality_is_scaled_by_the_whole_corpus(server: Server, tmp_path: Path) -> None:
    settings = IndexSettings(quality_scale="minmax")
    for out in (tmp_path / "index", str(server.address)):
        build(BuildRequest([str(SAMPLE)], out, settings))
    assert_equal(str(server.address), tmp_path / "index")
    with pytest.raises(InvalidParameter, match="quality_scale is clip, .*; build it again"):
        add(str(server.address), [SAMPLE])


@pytest.mark.parametrize("how", ["lost", "interrupted", "refused"])
def test_a_stopped_build_leaves_the_old_index_and_the_next_begins_anew(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """What it sent is removed: at once, or by the next build where the server was away."""
    monkeypatch.setattr(bulk, "BULK_BYTES", 20_000)
    monkeypatch.setattr("argsearch.indexer.server.client.LONGEST_PAUSE", 0.01)
    streamed(corpus(tmp_path / "first.jsonl", documents()[:20]), str(server.address))
    named = behind(server)
    sent: list[str] = []

    def fault(_method: str, path: str, _body: bytes) -> Answer | None:
        sent.extend([path] if "_bulk" in path else [])
        return (503, "text/plain", b"") if how == "lost" and len(sent) > 8 else None

    def progress(stage: str, done: int, _of: int | None = None) -> None:
        if how == "interrupted" and stage == "documents" and done > 100:
            raise KeyboardInterrupt

    bad = [{"id": "x"}] if how == "refused" else []
    source = corpus(tmp_path / "all.jsonl", [*documents(), *bad])
    with Proxy(server.address.server) as proxy:
        proxy.fault = fault
        request = BuildRequest([source], f"{proxy.url}/{server.address.name}")
        with pytest.raises((ArgsearchError, KeyboardInterrupt)):
            build(request, progress)
    assert behind(server) == named
    assert len(indices(server)) == (2 if how == "lost" else 1)
    with Engine.open(str(server.address)) as engine:
        assert engine.info.documents == 20
    report = streamed(str(SAMPLE), str(server.address))
    assert report.counts["documents"] == 321
    assert behind(server) == indices(server) != named


@pytest.fixture
def changes(tmp_path: Path) -> list[Callable[[str | Path], ChangeReport]]:
    """Additions with changed and known documents, removals by id and by a column."""
    own = documents()
    more = corpus(tmp_path / "more.jsonl", [*own[300:], *map(changed, own[5:10]), *own[20:25]])
    again = corpus(tmp_path / "again.jsonl", [own[50], changed(own[5], "twice")])
    ids = [own[50]["id"], own[301]["id"]]
    return [
        lambda index: add(index, [more]),
        lambda index: remove(index, ids),
        lambda index: remove(index, where("words < 40", "stance = con")),
        lambda index: add(index, [again]),
    ]


def told(report: ChangeReport) -> tuple[int, ...]:
    counts = report.counts["documents"], report.counts["tokens"], report.counts["clusters"]
    return report.added, report.changed, report.removed, report.joined, *counts


def test_a_changed_index_is_that_of_the_changed_directory(
    server: Server, tmp_path: Path, changes: list[Callable[[str | Path], ChangeReport]]
) -> None:
    """New documents give the same scores; of removed ones the server's statistics tell for a while,
    and the explanations with them."""
    source = corpus(tmp_path / "first.jsonl", documents()[:280])
    new = corpus(tmp_path / "new.jsonl", documents()[280:300])
    first, directory, address = tmp_path / "first", tmp_path / "index", str(server.address)
    streamed(source, first)
    streamed(source, directory)
    streamed(source, address)
    held = behind(server)
    assert told(add(address, [new])) == told(add(directory, [new]))
    assert_equal(address, directory, ASKED[:2])
    for change in changes:
        report = change(address)
        assert told(report) == told(change(directory))
        assert behind(server) == indices(server) == held
    with Engine.open(address) as remote, Engine.open(directory) as embedded:
        ids = [embedded.backend.contents.ids[doc] for doc in range(embedded.info.documents)]
        left = [embedded.argument(id).to_json() for id in ids]
        assert [one.to_json() for one in map(remote.argument, ids)] == left
        for question in QUESTIONS:
            asked = {"k": 400, "config": "heimdall-2021"}
            found, wanted = (one.search(question, **asked) for one in (remote, embedded))
            assert found.total == wanted.total
            assert set(found.hits.ids) == set(wanted.hits.ids)
            assert found.fingerprint == report.fingerprint
            for hit in list(found.hits)[:20]:
                R, *_ = hit.explanation.details
                assert sum(term.value for term in R.details) == pytest.approx(R.value, rel=1e-5)
    source = corpus(tmp_path / "left.jsonl", left)
    assert report.fingerprint == streamed(source, address, clusters_from=first).fingerprint
    assert_equal(address, directory, ASKED[:2])


def test_what_cannot_be_changed_is_said(server: Server, sample_index: Path) -> None:
    address = str(server.address)
    generation = write(sample_index, address).generation
    same = add(address, [SAMPLE])
    assert (same.added, same.changed, behind(server)) == (0, 0, [generation])
    wrong: tuple[tuple[Callable[[], Any], str], ...] = (
        (lambda: remove(address, ["nobody's"]), "the id of an argument in the index"),
        (lambda: remove(address, where("words >= 0")), "arguments would leave the index empty"),
        (lambda: rebuild(address), "a directory to cluster again"),
        (lambda: add(address, []), "at least one source"),
    )
    for act, words in wrong:
        with pytest.raises(InvalidParameter, match=words):
            act()
    meta = read_meta(server, generation)
    assert meta is not None
    meta.pop("digests")  # as an earlier version wrote it
    server.request("PUT", f"/{generation}/_mapping", {"_meta": {"argsearch": meta}})
    with pytest.raises(InvalidParameter, match="that this version wrote, .*; build it again"):
        remove(address, [documents()[0]["id"]])
    assert behind(server) == indices(server) == [generation]


@pytest.mark.parametrize("how", ["refused", "lost", "interrupted"])
def test_a_change_that_is_cut_short_is_finished_by_the_same_command(
    server: Server, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then it says the fingerprint of before, and another process leaves it alone."""
    own, address, directory = documents(), str(server.address), tmp_path / "index"
    source = corpus(tmp_path / "first.jsonl", own[:60])
    more = corpus(tmp_path / "more.jsonl", [*own[60:90], *map(changed, own[:9])])
    streamed(source, address)
    streamed(source, directory)
    before, sent = current(server), list[bytes]()

    def fault(_method: str, path: str, body: bytes) -> Answer | None:
        """The second request of many documents fails."""
        if "_bulk" in path:
            sent.append(body)
        if "_bulk" not in path or len(sent) < 2:
            return None
        told = {"type": "mapper_parsing_exception", "reason": "no"}
        row = {"index": {"_id": "x", "status": 400, "error": told}}
        many = {"errors": True, "items": [row] * (body.count(b"\n") // 2)}
        return 503 if how == "lost" else 200, "application/json", json.dumps(many).encode()

    for name, small in (("BULK_BYTES", 20_000), ("IN_FLIGHT", 1), ("BULK_ATTEMPTS", 2)):
        monkeypatch.setattr(bulk, name, small)
    monkeypatch.setattr("argsearch.indexer.server.client.LONGEST_PAUSE", 0.01)

    def stop(stage: str, done: int, _of: int | None = None) -> None:
        if how == "interrupted" and stage == "documents" and sent:
            raise KeyboardInterrupt

    with Proxy(server.address.server) as proxy:
        proxy.fault = fault
        with pytest.raises((ServerError, KeyboardInterrupt)):
            add(f"{proxy.url}/{server.address.name}", [more], progress=stop)
    assert current(server) == before
    assert len(locks(server)) == 1
    with monkeypatch.context() as patch:
        patch.setattr("argsearch.indexer.server.generations.owner", lambda: {"pid": 1, "host": "x"})
        with pytest.raises(WriteIncomplete, match="is being changed by another process"):
            add(address, [more])
    report, wanted = add(address, [more]), add(directory, [more])
    assert report.counts["documents"] == 90
    assert report.counts["tokens"] == wanted.counts["tokens"]
    assert locks(server) == []
    assert report.fingerprint == streamed_as(directory, tmp_path, address)
    assert remove(address, [own[0]["id"]]).counts["documents"] == 89


def locks(server: Server) -> list[str]:
    """What says that a change is under way."""
    body = {"query": {"ids": {"values": [CHANGE_ROW]}}}
    server.request("POST", f"/{server.address.name}/_refresh")
    found = server.request("POST", f"/{server.address.name}/_search", body)["hits"]["hits"]
    return [hit["_id"] for hit in found]


def streamed_as(directory: Path, room: Path, address: str) -> str:
    """The fingerprint of a whole load of a directory's documents, with its clusters."""
    with Engine.open(directory) as engine:
        ids = [engine.backend.contents.ids[doc] for doc in range(engine.info.documents)]
        left = [engine.argument(id).to_json() for id in ids]
    source = corpus(room / "whole.jsonl", left)
    return streamed(source, f"{address}-whole", clusters_from=directory).fingerprint


def test_of_two_changes_the_later_one_fails(server: Server, sample_index: Path) -> None:
    address, ids = str(server.address), [one["id"] for one in documents()]
    write(sample_index, address)

    def meanwhile(_index: str | Path) -> list[str]:
        remove(address, ids[:1])
        return ids[1:2]

    with pytest.raises(ArgsearchError, match="changed by someone else"):
        remove(address, meanwhile)
    assert locks(server) == []
    with Engine.open(address) as engine:
        assert [engine.argument(id) is None for id in ids[:2]] == [True, False]


def test_near_duplicates_collapse_as_in_the_directory(server: Server, tmp_path: Path) -> None:
    own = documents()
    copies = [{**changed(one), "id": f"{one['id']}-{i}"} for one in own[:60:2] for i in range(2)]
    source, directory = corpus(tmp_path / "c.jsonl", [*own, *copies]), tmp_path / "index"
    address, part = str(server.address), "near_duplicates"
    asked = [
        {"collapse": True, "k": k, "offset": k // 2, "config": "heimdall-2021"} for k in (5, 300)
    ]
    streamed(source, directory, part)
    for fill in (lambda: write(directory, address), lambda: streamed(source, address, part)):
        fill()
        assert_equal(address, directory, asked)
        with Engine.open(address) as remote, Engine.open(directory) as embedded:
            assert remote.parts == {part}
            answer = remote.search("the", collapse=True)
            assert answer.groups is not None
            assert answer.groups < answer.total
            some = [hit.id for hit in answer.hits]
            for id in [*some, own[0]["id"], "nobody's"]:
                found = remote.backend.near_duplicates(id)
                assert found == embedded.backend.near_duplicates(id) == sorted(found)
            assert len(remote.backend.near_duplicates(own[0]["id"])) == 2


def test_a_part_that_needs_a_directory_is_refused(server: Server, sample_index: Path) -> None:
    write(sample_index, str(server.address))
    for part in ("counter", "pairs", "premises", "meaning"):
        with pytest.raises(InvalidParameter, match="near_duplicates on a search server, .*; count"):
            streamed(str(SAMPLE), str(server.address), part)
        with (
            Engine.open(str(server.address)) as engine,
            pytest.raises(PartMissing, match="directory"),
        ):
            engine.backend.part(part)


def test_parts_beside_the_server(server: Server, tmp_path: Path) -> None:
    """Units are asked of the directory that the metadata name, as long as it is that index."""
    address, beside = str(server.address), tmp_path / "beside"
    source = corpus(tmp_path / "some.jsonl", documents()[:80])
    report = streamed(source, address, "near_duplicates", "counter", "pairs", beside=beside)
    asked: tuple[Callable[[Engine], Any], ...] = (
        lambda engine: engine.pairs("zoos", k=5, where=["words > 20"]),
        lambda engine: engine.counter(documents()[3]["id"], k=5),
        lambda engine: engine.search("zoos", collapse=True, sides=True),
    )
    with Engine.open(address) as remote, Engine.open(beside) as embedded:
        assert remote.info.fingerprint == embedded.info.fingerprint == report.fingerprint
        assert remote.parts == {"near_duplicates", "counter", "pairs"}
        for ask in asked:
            assert_same(ask(remote), ask(embedded))
            assert ask(remote).hits.ids
        with pytest.raises(PartMissing, match="add it with"):
            remote.premises("zoos")
    remove(beside, [documents()[3]["id"]])
    with (
        Engine.open(address) as remote,
        pytest.raises(PartMissing, match="belongs to another index"),
    ):
        remote.pairs("zoos")
    with pytest.raises(InvalidParameter, match="beside needs a search server"):
        streamed(source, tmp_path / "index", beside=beside)
