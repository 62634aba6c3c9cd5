"""An index that is changed is the index that a build of the merged corpus gives, byte for byte."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.query.filters import where
from argsearch.indexer import staging
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.building.changes import MOST_SOURCES, merged_corpus
from argsearch.indexer.building.changing import add, rebuild, remove, update
from argsearch.indexer.corpus.report import CorpusError, ReadReport, SourceReport
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.arrays import open_arrays
from argsearch.indexer.format.manifest import IndexDamaged, IndexMissing
from argsearch.indexer.format.ownership import old_place
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.model_files import checksum
from argsearch.indexer.parts import counters
from argsearch.indexer.parts.adding import PARTS, add_parts, make_part, with_needs
from argsearch.indexer.parts.base import Before
from argsearch.indexer.parts.pairs import part
from argsearch.indexer.parts.premises import part as premises_part
from argsearch.indexer.processes import silent
from argsearch.indexer.signals.cluster import JOIN_PROBES
from argsearch.indexer.staging import BuildInProgress, OldFilesLeft, staged
from argsearch.ranking import neighbours
from tests.indexes import SAMPLE, Built

PLAIN = IndexSettings(encoder="none", quality_model="none")
USUAL = IndexSettings(parts=("vectors",))
SCALED = IndexSettings(quality_scale="minmax", parts=("near_duplicates",))
PAIRED = IndexSettings(quality_model="none", parts=("pairs",))
WHOLE = IndexSettings(parts=tuple(PARTS), meaning_encoder="wordllama")
Corpus = dict[str, dict[str, Any]]
"""Documents by id, in order."""


def document(id: str, text: str, claim: str | None, source: str = "") -> dict[str, Any]:
    premises = [{"text": text, "stance": "PRO"}]
    return {
        "id": id,
        "conclusion": claim,
        "premises": premises,
        "context": {"sourceDomain": source},
    }


def write(path: Path, documents: Corpus) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in documents.values()))
    return str(path)


def contents(index: Path) -> dict[str, Any]:
    """Every file's bytes; of the manifest all but where the corpus came from."""
    found: dict[str, Any] = {path.name: path.read_bytes() for path in index.iterdir()}
    manifest = json.loads(found[manifests.NAME])
    found[manifests.NAME] = {k: v for k, v in manifest.items() if not k.startswith("corpus")}
    return found


def assert_fresh(index: Path, merged: Corpus, clusters: Path | None, config: IndexSettings) -> None:
    """The index is what a build of the merged corpus gives by the clusters of another index."""
    fresh = index.with_name("fresh")
    corpus = write(index.with_name("merged.jsonl"), merged)
    build(BuildRequest([corpus], fresh, config, clusters_from=clusters))
    added = [name for name in manifests.read(index).get("parts", {}) if name not in config.parts]
    before = None
    if clusters and added:
        shared, said = open_arrays(clusters)
        before = Before(clusters, said, shared)
    for name in with_needs(added):
        changed = {"meaning_encoder": "wordllama"}
        if name not in config.parts:
            make_part(fresh, fresh, PARTS[name], silent, 1, changed, before)
    one, other = contents(index), contents(fresh)
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []
    assert manifests.verify(index)["corpus"]["documents"] == len(merged)
    shutil.rmtree(fresh)


def said_by(
    id: str, text: str, claim: str | None, source: str, more: list[str], own: bool
) -> dict[str, Any]:
    """A document; own: with a word that no other has, unless it has none."""
    one = document(id, f"{text} word{id}" if text and own else text, claim, source)
    one["premises"] += [{"text": text, "stance": "CON"} for text in more]
    return one


STAYS = {"stays": document("stays", "Zoos keep animals.", "zoos keep animals")}
words = st.sampled_from(["zoos", "keep", "animals", "schools", "teach", "to", "read", "©", "well"])
said = ["Zoos keep animals well.", "Schools teach children to read.", "To teach well is to read."]
said += ["Schools keep children well.", "Children keep to animals.", "Well, zoos teach to keep."]
texts = st.lists(words, max_size=12) | st.lists(st.sampled_from(said), max_size=5)
texts = texts.map(" ".join)
claims = st.sampled_from([None, " ", "zoos keep animals", "schools teach", "children read well"])
claims |= st.sampled_from(["schools teach. children read well", "zoos! zoos keep animals"])
ids = st.sampled_from([f"d{number}" for number in range(30)])
more = st.just([]) | st.lists(texts, max_size=2)
sources = st.sampled_from(["", "one", "two", "three"])
documents = st.builds(said_by, ids, texts, claims, sources, more, st.booleans())
corpora = st.lists(documents, min_size=1, max_size=25).map(lambda all: {d["id"]: d for d in all})
whole = st.tuples(st.just("whole"), corpora, st.integers(0, 25), st.integers(0, 25))
steps = st.lists(
    st.one_of(corpora, st.sets(ids, min_size=1), st.just("rebuild"), whole), max_size=4
)


def edited(merged: Corpus, edits: Corpus, begin: int, count: int) -> Corpus:
    """Another state of a corpus: some documents at another place, some gone, changed and new."""
    ids = [id for id in merged if id not in edits or edits[id] != merged[id]]
    order = [*ids[:begin], *edits, *ids[begin + count :]]
    return {id: edits.get(id) or merged[id] for id in order}


def clusters_of(index: Path) -> tuple[bool, bool]:
    """Whether it has topical clusters, and cells of neighbours: else they are found anew."""
    found = manifests.read(index)
    parts = found.get("parts", {})
    cells = "counter" in parts and parts["counter"]["settings"]["cells"]
    return found["counts"]["clusters"] > 0, cells


def check_sequence(room: Path, first: Corpus, changes: list[Any], config: IndexSettings) -> None:
    index, clusters, merged = room / "index", room / "clusters", dict(first)
    for path in (index, clusters):
        shutil.rmtree(path, ignore_errors=True)
    build(BuildRequest([write(room / "first.jsonl", first)], index, config))
    shutil.copytree(index, clusters)
    for change in changes:
        if change == "rebuild":
            rebuild(index)
            shutil.rmtree(clusters)
            shutil.copytree(index, clusters)
            assert_fresh(index, merged, None, config)
        elif isinstance(change, tuple):
            later = edited(merged, *change[1:])
            report = update(index, [write(room / "first.jsonl", later)])
            new = sum(one != merged.get(id) for id, one in later.items())
            assert report.added + report.changed == new
            assert report.removed == len(merged.keys() - later.keys())
            merged = later
            if new + report.removed > report.counts["documents"] - new:  # they are found anew
                shutil.rmtree(clusters)
                shutil.copytree(index, clusters)
                assert_fresh(index, merged, None, config)
        elif isinstance(change, dict):
            report = add(index, [write(room / "more.jsonl", change)])
            assert report.added == len(change.keys() - merged.keys())
            merged |= change
        else:
            gone = change & merged.keys()
            if len(gone) == len(merged):
                continue
            assert remove(index, sorted(gone)).removed == len(gone)
            merged = {id: one for id, one in merged.items() if id not in gone}
        assert_fresh(index, merged, clusters, config)
        if clusters_of(index) != clusters_of(clusters) or not clusters_of(index)[0]:
            shutil.rmtree(clusters)
            shutil.copytree(index, clusters)


def in_small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the neighbours of more than ten documents be those of near cells, pieces be many, and
    lists of a conclusion's premises be full."""
    monkeypatch.setattr(premises_part, "PIECE_ROWS", 12)
    monkeypatch.setattr(counters, "EXACT", 10)
    monkeypatch.setattr(counters, "PROBES", 2)
    monkeypatch.setattr(neighbours, "CELL", 4)
    monkeypatch.setattr(part, "PREMISES", 3)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("config", "examples"),
    [
        (PLAIN, 20),
        pytest.param(PAIRED, 10, marks=pytest.mark.slow),
        pytest.param(SCALED, 10, marks=pytest.mark.slow),
        pytest.param(WHOLE, 5, marks=pytest.mark.slow),
    ],
)
def test_any_sequence_of_changes_gives_the_fresh_index(
    tmp_path: Path, config: IndexSettings, examples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_cells(monkeypatch)

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(corpora, steps)
    def check(first: Corpus, changes: list[Any]) -> None:
        if "pairs" in config.parts:  # it asks for a conclusion
            first |= STAYS
            changes = [
                (one[0], one[1] | STAYS, *one[2:]) if isinstance(one, tuple) else one
                for one in changes
            ]
        check_sequence(tmp_path, first, changes, config)

    check()


def sample(begin: int, end: int) -> Corpus:
    read = json.loads(SAMPLE.read_text())["arguments"]
    return {one["id"]: one for one in read[begin:end]}


def assert_reached(told: dict[str, tuple[int, int | None]]) -> None:
    """Every stage of every part knew how much there was to do, and did it."""
    short = {"documents", "clusters", "postings", "cells", "grouping", "counter", "pairs"}
    assert {stage for stage, (_, of) in told.items() if of is None} <= short
    assert {"vectors", "neighbours", "words", "sentences", "comparing", "meaning"} <= set(told)
    assert {"premises", "clustering claims", "clustering premises"} <= set(told)
    assert [stage for stage, (done, of) in told.items() if of not in (None, done)] == []


@pytest.mark.thorough
def test_every_part_is_that_of_the_fresh_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_cells(monkeypatch)
    index, clusters, merged = tmp_path / "index", tmp_path / "clusters", sample(0, 60)
    build(BuildRequest([write(tmp_path / "first.jsonl", merged)], index, USUAL))
    told = dict[str, tuple[int, int | None]]()

    def progress(stage: str, done: int, of: int | None = None) -> None:
        """How far each stage came."""
        told[stage] = done, of

    add_parts(index, list(PARTS), progress, settings={"meaning_encoder": "wordllama"})
    assert_reached(told)
    shutil.copytree(index, clusters)
    more = sample(50, 80)
    for number, one in enumerate(more.values()):
        if number < 3:
            one["premises"] = [{"text": "They were changed since.", "stance": "CON"}]
    told.clear()
    add(index, [write(tmp_path / "more.jsonl", more)], workers=2, progress=progress)
    assert_reached(told)
    merged |= more
    assert_fresh(index, merged, clusters, USUAL)
    remove(index, [*merged][5:20:3])
    for id in [*merged][5:20:3]:
        del merged[id]
    assert_fresh(index, merged, clusters, USUAL)
    assert set(manifests.read(index)["parts"]) == set(PARTS)


def test_nothing_of_what_was_removed_stays(tmp_path: Path) -> None:
    index, secret = tmp_path / "index", "xyzzyplugh"
    merged = sample(0, 40)
    told = document("told", f"Nobody may read {secret} ever.", f"{secret} is one", f"{secret}.org")
    all_of_it = dict([*merged.items()][:20]) | {"told": told} | dict([*merged.items()][20:])
    build(BuildRequest([write(tmp_path / "all.jsonl", all_of_it)], index, USUAL))
    add_parts(index, ["near_duplicates", "counter", "pairs"])
    assert [name for name, data in unpacked(index).items() if secret.encode() in data] != []
    remove(index, where(f"source = {secret}.org"))
    assert [name for name, data in unpacked(index).items() if secret.encode() in data] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "index"]
    with Engine.open(index) as engine:
        assert engine.search(secret, config="dirichlet").total == 0
        assert engine.backend.argument("told") is None  # type: ignore[attr-defined]


def unpacked(index: Path) -> dict[str, bytes]:
    """Every file's bytes, and those of every frame of the store."""
    found = {path.name: path.read_bytes() for path in index.iterdir()}
    arrays, _ = open_arrays(index)
    ends, data = arrays.store_frames, arrays.store_bytes.whole.tobytes()
    for frame, (begin, end) in enumerate(pairwise(ends.tolist())):
        found[f"frame {frame}"] = zstandard.ZstdDecompressor().decompress(data[begin:end])
    return found


def test_what_a_change_says(tmp_path: Path, built: Built) -> None:
    index = Path(shutil.copytree(built(settings=PLAIN), tmp_path / "index"))
    before = manifests.read(index)
    same = write(tmp_path / "same.jsonl", sample(0, 3))
    report = add(index, [same])
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert report.fingerprint == before["fingerprint"]
    new = {"new": document("new", "one", "two"), **sample(0, 1)}
    new[next(iter(sample(0, 1)))]["conclusion"] = "Another claim"
    report = add(index, [write(tmp_path / "new.jsonl", new)])
    assert (report.added, report.changed, report.removed) == (1, 1, 0)
    assert remove(index, ["new"]).removed == 1
    corpus = manifests.read(index)["corpus"]
    assert corpus["since_clustering"] == {"joined": 2, "left": 2}
    assert corpus["name"] == "arguments.json + new.jsonl"
    assert corpus["documents"] == before["counts"]["documents"]
    rebuild(index)
    assert "since_clustering" not in manifests.read(index)["corpus"]


@pytest.mark.thorough
def test_why_documents_were_skipped_is_told_after_every_change(tmp_path: Path) -> None:
    """A whole corpus tells it anew; a change adds what it skipped."""
    index, path, own = tmp_path / "index", tmp_path / "c.jsonl", sample(0, 5)

    def corpus(documents: Corpus, wrong: str) -> list[str]:
        write(path, documents)
        path.write_text(f"{wrong}\n{path.read_text()}")
        return [str(path)]

    def skipped() -> tuple[int, dict[str, int]]:
        told = manifests.read(index)["corpus"]
        return told["skipped"], told["reasons"]

    build(BuildRequest(corpus(own, '{"id": "x"}\n{'), index, PLAIN, on_error="skip"))
    assert skipped() == (2, {"json": 1, "premises": 1})
    remove(index, [next(iter(own))])
    assert skipped() == (2, {"json": 1, "premises": 1})
    add(index, corpus(sample(5, 6), "{"), on_error="skip")
    assert skipped() == (3, {"json": 2, "premises": 1})
    update(index, corpus(sample(0, 4), '{"id": "y"}'), on_error="skip")
    assert skipped() == (1, {"premises": 1})


def test_what_cannot_be_changed_is_refused_and_stays(tmp_path: Path) -> None:
    index, corpus = tmp_path / "index", write(tmp_path / "c.jsonl", sample(0, 3))
    with pytest.raises(IndexMissing, match="does not exist"):
        add(index, [corpus])
    build(BuildRequest([corpus], index, PLAIN))
    before = contents(index)
    with pytest.raises(InvalidParameter, match="must be the id of an argument in the index, not"):
        remove(index, ["none"])
    with pytest.raises(InvalidParameter, match="ids must be a list of ids, .*, not 'abc'"):
        remove(index, "abc")
    with pytest.raises(InvalidParameter, match="removing all 3 arguments would leave the index"):
        remove(index, list(sample(0, 3)))
    with pytest.raises(InvalidParameter, match="there is no column 'magic'"):
        remove(index, where("magic = 1"))
    with pytest.raises(InvalidParameter, match=r"one source, not \[\]"):
        add(index, [])
    with pytest.raises(InvalidParameter, match="index.encoder must be none, .*, not 'wordllama'"):
        build(BuildRequest([corpus], tmp_path / "other", clusters_from=index))
    with pytest.raises(IndexMissing):  # before the corpus is read
        build(BuildRequest(["none.jsonl"], tmp_path / "other", clusters_from=tmp_path / "none"))
    said = r"\.building\); run this again"
    with staged(index, into_place=False), pytest.raises(BuildInProgress, match=said):
        add(index, [corpus])
    assert contents(index) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl", "index"]


def test_old_files_that_stay_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index, corpus = tmp_path / "index", write(tmp_path / "c.jsonl", sample(0, 3))
    build(BuildRequest([corpus], index, PLAIN))
    gone = next(iter(sample(0, 3)))
    with monkeypatch.context() as patch:
        patch.setattr(staging, "_remove", lambda *_folder: None)
        with pytest.raises(OldFilesLeft, match=r"has been changed, .* \S+/.index.building; move"):
            remove(index, [gone])
    assert manifests.verify(index)["counts"]["documents"] == 2
    assert (tmp_path / ".index.building").is_dir()
    with pytest.raises(InvalidParameter, match="ID must .*not 'S58cbb190-A4627da38'"):
        remove(index, [gone])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl", "index"]


def test_an_id_that_was_made_replaces_no_document(tmp_path: Path) -> None:
    index, table = tmp_path / "index", tmp_path / "posts.csv"
    table.write_text("conclusion,premise\nZoos,They keep animals\n")
    build(BuildRequest([str(table)], index, PLAIN, columns={"premise": "premise"}))
    before = contents(index)
    asked = {"columns": {"premise": "premise"}}
    assert add(index, [table], **asked).changed == 0
    table.write_text("conclusion,premise\nFarms,They feed us\n")
    with pytest.raises(CorpusError, match="'posts.csv-1': its id was made .* give a column"):
        add(index, [table], **asked)
    assert contents(index) == before
    table.rename(other := tmp_path / "others.csv")
    assert add(index, [other], **asked).added == 1
    other.rename(table)
    report = update(index, [table], **asked)  # the whole corpus as it is now
    assert (report.added, report.changed, report.removed) == (0, 1, 1)


def test_a_corpus_that_is_not_the_manifests_is_noticed(tmp_path: Path) -> None:
    index, corpus = tmp_path / "index", write(tmp_path / "c.jsonl", sample(0, 3))
    build(BuildRequest([corpus], index, PLAIN))
    content = json.loads((index / manifests.NAME).read_text())
    content["corpus"]["name"] = "another"
    (index / manifests.NAME).write_text(json.dumps(content))
    with pytest.raises(IndexDamaged, match="corpus does not match corpus_sha256"):
        manifests.read(index)


def test_where_a_corpus_came_from_is_outside_the_fingerprint(tmp_path: Path) -> None:
    for name in ("one", "other"):
        corpus = write(tmp_path / f"{name}.jsonl", sample(0, 5))
        build(BuildRequest([corpus], tmp_path / name, PLAIN))
    one, other = (manifests.read(tmp_path / name) for name in ("one", "other"))
    assert one["corpus"] != other["corpus"]
    assert one["fingerprint"] == other["fingerprint"]


@pytest.mark.thorough
@pytest.mark.parametrize("is_another", [False, True])
def test_a_slow_encoder_is_asked_for_new_texts_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_another: bool
) -> None:
    """Unless its model is another than that of the vectors that the index holds."""
    from argsearch.indexer.encoders.wordllama import WordLlamaEncoder

    rows, read, first = WordLlamaEncoder.rows, list[str](), sample(0, 60)
    config = IndexSettings(parts=("vectors", "pairs", "meaning"), meaning_encoder="wordllama")
    monkeypatch.setattr(WordLlamaEncoder, "light", False)
    index = tmp_path / "index"
    build(BuildRequest([write(tmp_path / "first.jsonl", first)], index, config))
    clusters = Path(shutil.copytree(index, tmp_path / "clusters"))

    def noted(self: WordLlamaEncoder, texts: list[str], tokens: int | None = None) -> Any:
        read.extend(texts)
        return -rows(self, texts, tokens) if is_another else rows(self, texts, tokens)

    monkeypatch.setattr(WordLlamaEncoder, "rows", noted)
    if is_another:
        remove(index, [gone := next(iter(first))])
        merged = {id: one for id, one in first.items() if id != gone}
    else:
        new = {"new": document("new", "Nobody said so before.", "It is said")}
        add(index, [write(tmp_path / "new.jsonl", new)])
        assert {"Nobody said so before.", "It is said"} <= set(read)
        assert len(read) < 4 * JOIN_PROBES
        merged = first | new
    assert_fresh(index, merged, clusters, config)


WORDY = document("w", "Animals are safe in zoos. They live long.", "Zoos are good")
LEFT = {
    "no premise has words": [("...", "Cars are bad"), ("!!!", "Trains are good")],
    "there is no conclusion": [("Cars are bad.", None), ("Trains are good, too.", None)],
    "no conclusion has words": [("Cars are bad.", "..."), ("Trains are good, too.", "?")],
    "nothing has words": [("...", "..."), ("?", "?")],
}
"""Premise and conclusion of the documents that stay when the one with words goes."""


@pytest.mark.thorough
@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("is_slow", [False, True])
def test_a_change_refuses_what_a_build_refuses(tmp_path: Path, monkeypatch, left, is_slow) -> None:
    """For every part, and whether the last words are removed or other words take their place."""
    from argsearch.indexer.encoders.wordllama import WordLlamaEncoder

    monkeypatch.setattr(WordLlamaEncoder, "light", not is_slow)
    stays = {str(n): document(str(n), *one) for n, one in enumerate(LEFT[left])}
    bare = {**stays, "w": document("w", *LEFT[left][0])}
    first, fewer, other = (
        write(tmp_path / f"{name}.jsonl", documents)
        for name, documents in (("first", stays | {"w": WORDY}), ("fewer", stays), ("other", bare))
    )

    def refused(work: Callable[[], object]) -> str | None:
        try:
            work()
        except InvalidParameter as error:
            return str(error)
        return None

    for one in PARTS:
        config = IndexSettings(quality_model="none", parts=(one,), meaning_encoder="wordllama")
        whole = build(BuildRequest([first], tmp_path / one, config))
        for source, name in ((fewer, "fewer"), (other, "other")):
            fresh = BuildRequest([source], tmp_path / f"{one}-{name}-fresh", config)
            index = Path(shutil.copytree(tmp_path / one, tmp_path / f"{one}-{name}"))
            said = refused(
                partial(remove, index, ["w"]) if name == "fewer" else partial(add, index, [other])
            )
            assert said == refused(partial(build, fresh)), (one, name)
            assert (manifests.verify(index)["fingerprint"] == whole.fingerprint) is bool(said)


@pytest.mark.thorough
def test_vectors_of_another_model_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argsearch.indexer.encoders.wordllama import WordLlamaEncoder

    index, merged, rows = tmp_path / "index", sample(0, 60), WordLlamaEncoder.rows
    build(BuildRequest([write(tmp_path / "first.jsonl", merged)], index, USUAL))
    clusters = Path(shutil.copytree(index, tmp_path / "clusters"))

    def others(self: WordLlamaEncoder, texts: list[str], tokens: int | None = None) -> Any:
        return -rows(self, texts, tokens)

    monkeypatch.setattr(WordLlamaEncoder, "rows", others)
    new = {"new": document("new", "Nobody said so before.", "It is said")}
    with pytest.raises(InvalidParameter, match="index.encoder must .*not 'wordllama'"):
        add(index, [write(tmp_path / "new.jsonl", new)])
    gone = next(iter(merged))
    remove(index, [gone])
    assert_fresh(index, {id: one for id, one in merged.items() if id != gone}, clusters, USUAL)


def test_where_nothing_was_clustered_clusters_are_found(tmp_path: Path) -> None:
    index, first, more = tmp_path / "index", {"a": document("a", "one", None)}, sample(0, 8)
    build(BuildRequest([write(tmp_path / "first.jsonl", first)], index, IndexSettings()))
    assert manifests.read(index)["counts"]["clusters"] == 0
    add(index, [write(tmp_path / "more.jsonl", more)])
    assert "since_clustering" not in manifests.read(index)["corpus"]
    assert_fresh(index, first | more, None, IndexSettings())


def test_an_index_of_before_opens_and_changes(tmp_path: Path) -> None:
    first, more = sample(0, 5), sample(3, 8)
    index = tmp_path / "index"
    build(BuildRequest([write(tmp_path / "first.jsonl", first)], index, PLAIN))
    content = json.loads((index / manifests.NAME).read_text())
    del content["corpus_sha256"]
    content["fingerprint"] = before = manifests.fingerprint(content)
    (index / manifests.NAME).write_text(json.dumps(content))
    assert manifests.verify(index)["fingerprint"] == before
    clusters = Path(shutil.copytree(index, tmp_path / "clusters"))
    add(index, [write(tmp_path / "more.jsonl", more)])
    assert_fresh(index, first | more, clusters, PLAIN)
    content["corpus"]["name"] = "another"
    (clusters / manifests.NAME).write_text(json.dumps(content))
    with pytest.raises(IndexDamaged, match="does not match its fingerprint"):
        manifests.read(clusters)


@pytest.mark.parametrize("state", ["nothing", "an empty folder", "the new one", "a link"])
def test_a_kill_between_two_renames_is_mended(tmp_path: Path, state: str) -> None:
    place, asked = tmp_path / "index", tmp_path / "index"
    build(BuildRequest([write(tmp_path / "first.jsonl", sample(0, 5))], place, PLAIN))
    if state == "the new one":
        shutil.copytree(place, old_place(place))
    else:
        place.rename(old_place(place))
    if state == "an empty folder":
        place.mkdir()
    elif state == "a link":
        (tmp_path / "elsewhere").mkdir()
        asked = tmp_path / "elsewhere" / "link"
        asked.symlink_to(place)
    report = add(asked, [write(tmp_path / "more.jsonl", sample(5, 7))])
    assert report.counts["documents"] == 7
    assert manifests.verify(place)["fingerprint"] == report.fingerprint
    folders = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    assert folders - {"elsewhere"} == {"index"}


def test_a_build_that_fails_keeps_what_a_kill_left(tmp_path: Path) -> None:
    index, bad = tmp_path / "index", tmp_path / "bad.jsonl"
    build(BuildRequest([write(tmp_path / "first.jsonl", sample(0, 5))], index, PLAIN))
    before = contents(index)
    index.rename(old_place(index))
    index.mkdir()
    bad.write_text("no document")
    with pytest.raises(CorpusError):
        build(BuildRequest([str(bad)], index, PLAIN))
    assert contents(index) == before


@pytest.mark.parametrize("name", [".index.old", ".index.exchanging"])
def test_a_copy_that_somebody_keeps_stays(tmp_path: Path, name: str) -> None:
    index, kept = tmp_path / "index", tmp_path / name
    build(BuildRequest([write(tmp_path / "first.jsonl", sample(0, 5))], index, PLAIN))
    shutil.copytree(index, kept)
    (kept / "mine").mkdir()
    (kept / "mine" / "notes.txt").write_text("mine")
    before = {path.name for path in kept.rglob("*")}
    add(index, [write(tmp_path / "more.jsonl", sample(5, 7))])
    assert {path.name for path in kept.rglob("*")} == before


def test_a_manifest_names_so_many_sources_and_counts_all(tmp_path: Path) -> None:
    index, n = tmp_path / "index", MOST_SOURCES + 3
    build(BuildRequest([write(tmp_path / "first.jsonl", sample(0, 2))], index, PLAIN))
    old = manifests.read(index)["corpus"]
    report = ReadReport(sources=[SourceReport(f"{i}.jsonl") for i in range(n)], documents=n)
    found = merged_corpus(old, report, 2 + n)
    names = [one["name"] for one in found["sources"]]
    assert len(names) == MOST_SOURCES
    assert (Path(names[0]).name, names[-1]) == ("first.jsonl", f"{n - 1}.jsonl")
    assert found["documents"] == 2 + n
    whole = merged_corpus({}, report, n)
    assert len(whole["sources"]) == n  # they tell the corpus again
    assert merged_corpus(whole, ReadReport(), n)["sources"] == whole["sources"]


def test_an_update_that_changes_no_document_is_the_build_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, corpus = tmp_path / "index", write(tmp_path / "first.jsonl", sample(0, 5))
    build(BuildRequest([corpus], index, PLAIN))
    old, folder = manifests.read(index), index.stat().st_ino
    update(index, [corpus])
    assert (manifests.read(index), index.stat().st_ino) == (old, folder)
    Path(corpus).write_text(Path(corpus).read_text() + "\n")  # another file, the same documents
    update(index, [corpus])
    now = manifests.verify(index)
    assert now["fingerprint"] == old["fingerprint"]
    assert now["corpus"]["sha256"] == checksum(Path(corpus)) != old["corpus"]["sha256"]
    monkeypatch.setattr("argsearch.indexer.building.standing.__version__", "another")
    monkeypatch.setattr("argsearch.indexer.building.request.__version__", "another")
    assert update(index, [corpus]).changed == 0
    assert manifests.verify(index)["software"] == "another"


def test_an_update_sees_that_the_encoders_model_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argsearch.indexer.encoders.wordllama import WordLlamaEncoder

    index, corpus = tmp_path / "index", write(tmp_path / "first.jsonl", sample(0, 60))
    build(BuildRequest([corpus], index, USUAL))
    before, rows = manifests.read(index)["fingerprint"], WordLlamaEncoder.rows
    assert update(index, [corpus]).fingerprint == before
    monkeypatch.setattr(
        WordLlamaEncoder, "rows", lambda self, texts, tokens=None: -rows(self, texts, tokens)
    )
    assert update(index, [corpus]).fingerprint != before


@pytest.mark.thorough
def test_a_corpus_that_shrank_to_a_part_is_clustered_anew(tmp_path: Path) -> None:
    index, corpus, merged = tmp_path / "index", tmp_path / "c.jsonl", sample(0, 60)
    build(BuildRequest([write(corpus, merged)], index, IndexSettings()))
    clusters = Path(shutil.copytree(index, tmp_path / "clusters"))
    most = dict([*merged.items()][:40])
    assert update(index, [write(corpus, most)]).removed == 20
    assert_fresh(index, most, clusters, IndexSettings())
    assert manifests.read(index)["corpus"]["since_clustering"] == {"joined": 0, "left": 20}
    few = dict([*merged.items()][:15])
    update(index, [write(corpus, few)])
    assert_fresh(index, few, None, IndexSettings())
    assert "since_clustering" not in manifests.read(index)["corpus"]
