"""Counter-arguments from an index: features from the texts, copies, odd queries, errors."""

from __future__ import annotations

import csv
import json
import lzma
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from argsearch.engine import Engine
from argsearch.engine.backends.server.backend import ServerBackend
from argsearch.engine.config import load_config
from argsearch.engine.units import SearchRequest
from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest
from argsearch.indexer.format.manifest import IndexDamaged
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.adding import add_parts
from argsearch.ranking.counters import NAMES, SUBJECT_COSINE, CounterWeights
from tests.indexer.test_counter_part import of_texts
from tests.indexes import indexed

SERVED = "counter_index"
SUFFER, NEVER = "Animals suffer in zoos", "Animals in zoos never suffer"


@pytest.fixture(scope="module")
def arguments(engine):
    return [engine.backend.store[doc] for doc in range(engine.info.documents)]


def feature(hit, name):
    """The value of a feature in a hit's explanation."""
    return hit.explanation.details[NAMES.index(name)].details[1].value


def test_every_score_is_explained_and_hits_fall(engine, arguments):
    for argument in arguments[::20]:
        results = engine.counter(argument.id, k=7)
        assert results.details == argument
        scores = [hit.score for hit in results.hits]
        assert scores == sorted(scores, reverse=True)
        assert [hit.rank for hit in results.hits] == list(range(1, len(scores) + 1))
        assert argument.id not in results.hits.ids
        for hit in results.hits:
            tree = hit.explanation
            assert tree.value == pytest.approx(hit.score)
            assert sum(d.value for d in tree.details) == pytest.approx(hit.score)
            weights = [d.details[0].value for d in tree.details]
            own = engine.config("default").counters
            known = CounterWeights()
            if argument.conclusion:
                known = replace(known, quality=own.quality, side=own.side)
            assert weights == [getattr(known, name) for name in NAMES]
            assert abs(feature(hit, "side")) == hit.side.probability == hit.side.explanation.value


@pytest.mark.thorough
def test_features_are_those_of_the_texts(engine, arguments):
    """Cosines of fresh embeddings, and scikit-learn's TF-IDF over premises alone."""
    places = {argument.id: place for place, argument in enumerate(arguments)}
    premises = [argument.premise for argument in arguments]
    tfidf = TfidfVectorizer(sublinear_tf=True, analyzer=StandardAnalyzer().tokens)
    rows, units = tfidf.fit_transform(premises), engine.encoder.encode(premises)
    for argument in arguments[::30]:
        own = places[argument.id]
        claim = engine.encoder.encode([argument.conclusion or ""])[0]
        for hit in engine.counter(argument.id, k=5).hits:
            place = places[hit.id]
            assert feature(hit, "cosine") == pytest.approx(units[own] @ units[place], abs=5e-3)
            assert feature(hit, "claim") == pytest.approx(claim @ units[place], abs=5e-3)
            alike = cosine_similarity(rows[[own]], rows[[place]])[0, 0]
            assert feature(hit, "words") == pytest.approx(alike, abs=1e-5)
            nearest = np.sort(np.delete(units @ units[place], place))[-10:]
            assert feature(hit, "hubness") == pytest.approx(nearest.mean(), abs=5e-3)


def test_an_argument_is_the_same_by_id_and_by_itself(engine, arguments):
    argument = arguments[3]
    by_id = engine.counter(argument.id)
    given = engine.counter(replace(argument, id=""))
    assert given.hits.ids == by_id.hits.ids
    assert [h.score for h in given.hits] == pytest.approx([h.score for h in by_id.hits], abs=0.02)


def test_a_text_is_countered_without_a_conclusion(engine, arguments):
    results = engine.counter(arguments[3].premise)
    assert arguments[3].id not in results.hits.ids
    assert {feature(hit, "claim") for hit in results.hits} == {0.0}
    assert all(feature(hit, "words") > 0 for hit in results.hits[:3])
    unknown = engine.counter("zoos are qwertyuiop prisons")
    assert unknown.details.conclusion is None
    assert len(unknown.hits) > 0


def test_what_shares_no_subject_is_no_counter(engine, arguments):
    for argument in arguments[::20]:
        hits = engine.counter(argument.id, k=1000).hits
        assert all(feature(hit, "cosine") >= SUBJECT_COSINE for hit in hits)


def test_copies_are_left_out_and_listed_once(tmp_path):
    twice = "Animals suffer in zoos because cages are too small for them."
    reply = "It is not true that animals suffer in zoos; the argument is wrong."
    others = [("Tax", [f"Taxes number {i} pay for roads and schools."]) for i in range(6)]
    index = of_texts(
        tmp_path,
        [("Zoos", [twice]), (None, [twice + " "]), ("Other", [reply]), ("Same", [reply]), *others],
    )
    add_parts(index, ["counter"])
    with Engine.open(index) as engine:
        for asked in ("0", "1", twice, f"  {twice}\n"):
            ids = engine.counter(asked).hits.ids
            assert not {"0", "1"} & set(ids)
            assert len({"2", "3"} & set(ids)) == 1
            assert ids[0] in ("2", "3")


@pytest.mark.thorough
def test_near_copies_are_left_out_where_the_index_knows_them(tmp_path):
    words = "Animals suffer in zoos because cages are far too small for them and they never "
    text = words + "see another place in all their long lives, which no keeper can make good again"
    near = text.replace("no keeper", "nobody")
    reply = f"It is not true that {text[0].lower()}{text[1:]}, as the many happy animals there show"
    index = of_texts(tmp_path, [("Zoos", [text]), ("Zoos", [near]), ("Zoos", [reply])])
    add_parts(index, ["counter"])
    with Engine.open(index) as engine:
        assert sorted(engine.counter("0").hits.ids) == ["1", "2"]
    add_parts(index, ["near_duplicates"])
    with Engine.open(index) as engine:
        groups = engine.backend.part("near_duplicates", 1)["groups"]
        copied = {
            engine.backend.ids[d]
            for d in np.flatnonzero(groups == groups[engine.backend.ids.find("0")])
        }
        assert {"0", "1"} <= copied
        assert set(engine.counter("0").hits.ids) == {"0", "1", "2"} - copied


def test_a_lone_document_has_no_counter(tmp_path):
    index = of_texts(tmp_path, [("Zoos are bad", ["Animals suffer there"])])
    add_parts(index, ["counter"])
    with Engine.open(index) as engine:
        results = engine.counter("0")
        assert (list(results.hits), results.total) == ([], 0)
        assert engine.counter("do animals suffer").hits.ids == ["0"]


def test_an_argument_without_premises_has_a_note(tmp_path):
    index = of_texts(tmp_path, [("Zoos are bad", []), ("Zoos", [SUFFER]), (None, [NEVER])])
    add_parts(index, ["counter"])
    with Engine.open(index) as engine:
        results = engine.counter("0")
        assert list(results.hits) == []
        assert results.notes == ("the premises of argument '0' have no words to counter",)
        assert engine.counter("1").hits.ids == ["2"]
        assert engine.counter("2").hits.ids == ["1"]


def test_what_has_no_word_is_no_counter(tmp_path):
    """Though its vector may be near: signs alone have one too."""
    index = of_texts(tmp_path, [("Zoos are bad", [SUFFER]), ("Zoos", ["!!!"]), (None, [NEVER])])
    add_parts(index, ["counter"])
    with Engine.open(index) as engine:
        found = engine.unit("counters")
        rows, scales = (np.array(found.vectors[name]) for name in ("rows", "scales"))
        query, blank = (engine.backend.ids.find(id) for id in "01")
        rows[blank], scales[blank] = rows[query], scales[query]
        found.vectors = {"rows": rows, "scales": scales}
        assert found.retrieve(SearchRequest("0", load_config())).ids == ["2"]


@pytest.mark.parametrize("asked", ["", "  ", "?!", "S0000-A0000", "qwertyuiop", "qwert asdfg"])
def test_what_is_neither_id_nor_text_is_named(engine, asked):
    with pytest.raises(InvalidParameter, match="must be the id of an argument of this index") as e:
        engine.counter(asked)
    assert repr(asked) in str(e.value)


def test_a_search_server_has_it_beside_it_or_not_at_all():
    backend = object.__new__(ServerBackend)
    backend._name = "http://node:9200/args"
    generation = SimpleNamespace(beside="", manifest={}, parts=frozenset())
    backend.session = SimpleNamespace(generation=generation)
    engine = Engine(backend)
    with pytest.raises(PartMissing, match="no part 'counter'.*beside the search server's index"):
        engine.counter("zoos are prisons")


def test_an_array_of_the_wrong_size_is_damage(counter_index, tmp_path):
    index = Path(shutil.copytree(counter_index, tmp_path / "index"))
    described = manifest.read(index)
    file = described["parts"]["counter"]["arrays"]["hubness"]
    np.save(index / file, np.zeros(3, np.float32))
    described["files"][file] = manifest.entry(index / file)
    known = ("format", "fingerprint", "files")
    rest = {key: value for key, value in described.items() if key not in known}
    manifest.write(index, rest, described["files"])
    with (
        Engine.open(index) as engine,
        pytest.raises(IndexDamaged, match=r"hubness must have the shape .*, not \(3,\)"),
    ):
        engine.counter("zoos are prisons")


ALL = ("counters.side=0", "counters.quality=0", "counters.least=-1")


def test_what_is_shown_argues_against_the_author(engine, arguments):
    """By the stances towards the very same conclusion too; the others are shown when asked for."""
    shown, every = [], []
    for argument in [one for one in arguments[::8] if one.conclusion]:
        hits = engine.counter(argument.id).hits
        assert {hit.side.value for hit in hits} <= {"against"}
        assert all(hit.side.probability >= 0.5 for hit in hits)
        same = [hit for hit in hits if hit.conclusion == argument.conclusion]
        assert all({hit.stance, argument.stance} == {"PRO", "CON"} for hit in same)
        shown += same
        every += [hit.side.value for hit in engine.counter(argument.id, k=100, overrides=ALL).hits]
    assert len(shown) > 10
    assert {*every} == {"against", "supports", "unclear"}


def test_a_filter_changes_no_side(engine, arguments):
    argument = next(one for one in arguments if one.conclusion)
    plain = {hit.id: hit.side for hit in engine.counter(argument.id, k=30, overrides=ALL).hits}
    seen = 0
    for stance in ("pro", "con"):
        for hit in engine.counter(argument.id, k=30, stance=stance, overrides=ALL).hits:
            if hit.id in plain:
                assert hit.side.value == plain[hit.id].value
                assert hit.side.probability == plain[hit.id].probability
                seen += 1
    assert seen >= 10


def test_why_says_what_the_author_claims(engine, arguments):
    argument = next(one for one in arguments if one.conclusion and one.stance is Stance.CON)
    others = [
        hit
        for hit in engine.counter(argument.id, k=30, overrides=ALL).hits
        if hit.conclusion != argument.conclusion
    ]
    tree = others[0].side.explanation
    assert tree.description.endswith(f"who is against “{argument.conclusion}”")
    assert tree.value == others[0].side.probability


@pytest.mark.parametrize(
    "text",
    [
        "Should zoos be banned? No. Zoos protect animals that are rare.",
        "Many say that zoos should be banned. They are wrong: zoos teach children.",
    ],
)
def test_of_a_text_that_is_no_single_claim_no_side_is_told(engine, text):
    hits = engine.counter(text, k=20).hits
    assert hits.ids == engine.counter(text, k=20, overrides=ALL).hits.ids
    assert {hit.side.value for hit in hits} == {"unclear"}
    assert "not a single claim" in hits[0].side.explanation.description


def test_where_no_stance_tells_a_side_the_order_is_that_of_the_other_features(tmp_path):
    texts = [SUFFER, NEVER, "Cages in zoos are too small.", "Ban zoos: they are cruel."]
    index = of_texts(tmp_path, [(None, [text]) for text in texts])
    add_parts(index, ["counter"])
    asked = Argument("", "Zoos should be banned", (Premise("Animals suffer in zoos a lot"),))
    with Engine.open(index) as engine:
        hits = engine.counter(asked).hits
        assert hits.ids == engine.counter(asked, overrides=ALL).hits.ids
        assert len(hits) == len(texts)
        assert {hit.side.value for hit in hits} <= {"against", "supports", "unclear"}
        assert {feature(hit, "side") for hit in hits} == {0.0}


def test_where_nothing_argues_against_it_a_note_says_so(tmp_path):
    index = of_texts(tmp_path, [("Zoos should be banned", [SUFFER]), ("Zoos are cruel", [NEVER])])
    add_parts(index, ["counter"])
    with Engine.open(index) as engine:
        results = engine.counter("0")
        assert list(results.hits) == []
        said = "none of the arguments near argument '0' is known to argue against it"
        assert results.notes == (said,)


def points_of_arguana(folder):
    """Distinct texts by their id; each point as an argument, with the ids of its counters."""
    with lzma.open(folder / "arguana-dev.json.xz") as stream:
        arguments = {one["id"]: one for one in json.load(stream)["arguments"]}
    text = {id_: one["premises"][0]["text"].strip() for id_, one in arguments.items()}
    texts = {}
    for id_, own in text.items():
        texts.setdefault(own, id_)
    points = {}
    with (folder / "counter-pairs-dev.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            point, counter = (texts[text[row[name]]] for name in ("point_id", "counter_id"))
            said = arguments[row["point_id"]]
            asked = Argument(point, said["conclusion"], (Premise(text[row["point_id"]], None),))
            if point != counter:
                points.setdefault(point, (asked, set()))[1].add(counter)
    return {id_: own for own, id_ in texts.items()}, points


@pytest.mark.data
@pytest.mark.slow
def test_the_shipped_weights_find_the_counters_of_arguana(data_dir, tmp_path):
    texts, points = points_of_arguana(data_dir / "arguana")
    documents = [{"id": id_, "premises": [{"text": own}]} for id_, own in texts.items()]
    index = indexed(tmp_path, documents, IndexSettings(parts=("counter",)))
    gains, ndcg, best = 1 / np.log2(np.arange(2, 12)), [], []
    with Engine.open(index) as engine:
        for point in sorted(points)[::6]:
            asked, counters = points[point]
            ids = [id_ for id_ in engine.counter(asked, k=11).hits.ids if id_ != point][:10]
            right = np.isin(ids, sorted(counters))
            ndcg.append(right @ gains[: len(ids)] / gains[: len(counters)].sum())
            best.append(right[0])
    assert len(ndcg) > 600
    assert np.mean(ndcg) >= 0.67
    assert np.mean(best) >= 0.48
