"""Search by meaning: candidates that no word finds, fused, narrowed, paged, counted, explained."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import orjson
import pytest

from argsearch.api.cli.main import run
from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from argsearch.engine.backends.embedded.meaning import AnotherEncoder
from argsearch.indexer.analysis.passages import passage_texts
from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.encoders.base import EncoderUnavailable
from argsearch.indexer.errors import InvalidParameter, MissingExtra
from argsearch.indexer.format import manifest
from argsearch.indexer.format.manifest import IndexDamaged
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings
from argsearch.ranking.vectors import quantise
from tests.indexes import Built

SERVED = "index"
QUESTION = "should pupils wear the same clothes"
UNHEARD = "xyzzy plugh"
"""Words that no argument has."""
SMALL = ("meaning.depth=20", "boost.premises_depth=20")
UNUSABLE = (EncoderUnavailable, MissingExtra)
SETTINGS = IndexSettings(
    meaning_encoder="wordllama", parts=("vectors", "near_duplicates", "meaning")
)


@pytest.fixture(scope="module")
def index(built: Built) -> Path:
    return built(settings=SETTINGS)


def _cosine(left, right):
    rows = [quantise(one[None])[0][0].astype(np.float64) for one in (left, right)]
    lengths = [np.sqrt(row @ row) for row in rows]
    return float(rows[0] @ rows[1] / (lengths[0] * lengths[1])) if min(lengths) else None


def _by_meaning(engine: Engine, question: str, depth: int, omega: float = 0.0) -> list[str]:
    """The ids of the nearest by M · (1 + ω·Q), each argument encoded anew: the plain expression."""
    encoder = load_encoder("wordllama")
    asked, found = encoder.encode([question])[0], []
    for doc in range(engine.info.documents):
        one = engine.backend.store[doc]  # type: ignore[attr-defined]
        texts = [one.conclusion or "", *passage_texts(one.premise)]
        claim, *near = [_cosine(asked, row) for row in encoder.encode(texts, 128)]
        both = None not in (claim, *near[:1]) and near
        M = (claim + 2 * max(near)) / 3 if both else max(near) if near else claim or 0.0
        found.append((-round(M, 9), one.id, float(engine.backend.searcher.arrays.quality[doc])))  # type: ignore[attr-defined]
    found = sorted(sorted(found)[:depth], key=lambda one: one[0] * (1 + omega * one[2]))
    return [id for _, id, _ in found]


def test_it_is_what_an_index_with_the_part_is_asked_by(engine, sample_index, built):
    assert engine.search(QUESTION, k=1).config.name == "meaning"
    with Engine.open(sample_index) as plain:
        assert plain.search(QUESTION, k=1).config.name == "default"
        found = plain.search(QUESTION, config="meaning")
        assert found.by_meaning is not None
        weighed = plain.search(QUESTION, config="meaning", overrides=["meaning.quality=9"])
        assert weighed.hits.ids == found.hits.ids  # quality counts with passages only
    lacking = pytest.raises(PartMissing, match="add it with: argsearch index --with meaning")
    with Engine.open(built(settings=IndexSettings(parts=()))) as plain, lacking:
        plain.search(QUESTION, config="meaning")


@pytest.mark.parametrize("omega", [0.0, 3.0])
def test_ranks_by_words_and_by_meaning_make_the_order(engine, omega):
    alone = engine.search(QUESTION, k=20, config="meaning", overrides=[*SMALL, "meaning.weight=0"])
    near = _by_meaning(engine, QUESTION, 20, omega)
    assert omega == 0 or near != _by_meaning(engine, QUESTION, 20)
    fused: dict[str, float] = {}
    for weight, ids in ((1.0, alone.hits.ids), (0.5, near)):
        for rank, id in enumerate(ids, 1):
            fused[id] = fused.get(id, 0.0) + weight / (60 + rank)
    asked = [*SMALL, "meaning.weight=0.5", "meaning.paraphrase_weight=0"]
    asked.append(f"meaning.quality={omega}")
    found = engine.search(QUESTION, k=len(fused), overrides=asked)
    for hit, Q in zip(found, found.hits.columns()["quality"], strict=True):
        factor = hit.explanation.find("1 + ω_N·Q")
        assert (factor.value if factor else 1.0) == pytest.approx(1 + omega * Q, rel=1e-6)
    assert set(found.hits.ids) == set(fused)
    assert found.hits.scores.tolist() == pytest.approx([fused[id] for id in found.hits.ids])
    assert (np.diff(found.hits.scores) <= 0).all()


@pytest.mark.parametrize("question", [QUESTION, UNHEARD, "pupils " + UNHEARD])
@pytest.mark.parametrize("where", [(), ("quality >= 0.5",)])
def test_pages_follow_each_other_and_scores_are_explained(engine, question, where):
    asked = {"where": where, "overrides": SMALL}
    whole = engine.search(question, k=90, **asked)
    pages = [engine.search(question, k=15, offset=at, **asked) for at in range(0, 90, 15)]
    assert [id for page in pages for id in page.hits.ids] == whole.hits.ids
    assert len(set(whole.hits.ids)) == len(whole.hits.ids)
    for hit in whole:
        assert hit.explanation.value == hit.score
        assert not where or hit.hits.columns()["quality"][hit.place] >= 0.5
        fused = hit.explanation.find("S")
        if "reciprocal ranks" in fused.description:
            assert sum(one.value for one in fused.details) == pytest.approx(hit.score, abs=1e-15)
            M = hit.explanation.find("M")
            weights = (1 / 3, 2 / 3) if len(M.details) == 2 else (1.0,)
            assert M.value == pytest.approx(np.dot([one.value for one in M.details], weights))


def test_an_explanation_quotes_the_passage_in_one_line(engine):
    for hit in engine.search(QUESTION, k=3, overrides=SMALL):
        said = hit.explanation.find("M").description
        quoted = said.split("found through this passage: “")[1].removesuffix("”")
        assert quoted.removesuffix(" …") in " ".join(hit.text.split())
        assert "\n" not in said
        assert len(quoted) <= 200


def test_hits_of_a_side_are_not_counted_by_how_they_were_found(engine, index, capsys):
    question = "Should zoos be banned?"
    found = engine.search(question, k=3, side="for")
    assert (found.by_meaning, len(found)) == (None, min(3, found.total))
    assert run(["search", "--index", str(index), question, "--side", "for"]) == 0
    assert f" of {found.total:,} matching arguments" in capsys.readouterr().err


def test_a_gist_comes_from_the_passages_that_answer_a_narrow_question(engine):
    encoder, narrow = engine.encoder, 0
    for question in ("do animals in cages go mad", "who pays for pupils' clothes", QUESTION):
        hits = [hit.argument for hit in engine.search(question, k=20).hits]
        told = [snippet.text for snippet in engine.gists(question, hits, "meaning")]
        free = [snippet.text for snippet in engine.gists(question, hits, "default")]
        [asked], _ = quantise(encoder.encode([question], 128))
        for one, gist, other in zip(hits, told, free, strict=True):
            texts = [one.conclusion or "", *passage_texts(one.premise)]
            claim, *near = [_cosine(asked, row) or 0.0 for row in encoder.encode(texts, 128)]
            order = sorted(range(len(near)), key=lambda i: -near[i])[:2]
            if max(near) - claim < 0.05:
                assert gist == other
                continue
            within = " ".join(" ".join(texts[1 + i].split()) for i in sorted(order))
            inside = [piece.strip() in within for piece in gist.split("…") if piece.strip()]
            # A passage without a sentence of the author's own leaves the choice open.
            assert all(inside) or gist == other
            narrow += all(inside) and gist != other
    assert narrow > 3
    assert engine.gists(" ", hits, "meaning") == engine.gists(" ", hits, "default")
    # A row of another unit has the argument's id, but only a part of its text.
    parts = [Argument(one.id, one.conclusion, (Premise(one.premise[:400], None),)) for one in hits]
    for question in (QUESTION, "do animals in cages go mad"):
        found = engine.gists(question, parts, "meaning")
        assert found == engine.gists(question, parts, "default")


def test_with_a_neural_encoder_passages_near_the_conclusion_are_worth_more(engine, monkeypatch):
    meaning, broad = engine.backend.contents.meaning, 0
    docs = np.arange(engine.info.documents)
    narrow = [worth for worth in meaning.telling(QUESTION, docs) if len(worth)]
    assert {value for worth in narrow for value in worth} == {0.0, -np.inf}
    monkeypatch.setattr(meaning.encoder, "light", False)
    for doc, worth in zip(docs.tolist(), meaning.telling(QUESTION, docs), strict=True):
        if np.isfinite(worth).all() and len(worth) > 2:
            one = engine.backend.store[doc]
            texts = [one.conclusion, *passage_texts(one.premise)]
            claim, *rows = meaning.encoder.encode(texts, 128)
            cosines = np.array([_cosine(claim, row) for row in rows])
            np.testing.assert_allclose(worth, (cosines - cosines.mean()) / cosines.std(), atol=1e-5)
            broad += 1
    assert broad > 3


def test_what_no_word_finds_is_counted_apart_and_shown(engine):
    found = engine.search(UNHEARD, k=5, overrides=SMALL, facets=["stance"])
    assert sum(value.count for value in found.facets["stance"]) == 20
    assert found.first_weak_rank == 1  # nearest of all, and yet near nothing
    assert "not shown" not in " ".join(found.remarks)
    assert "none of these results is clearly about the question" in found.remarks
    assert "none of these" not in " ".join(engine.search(QUESTION, k=5).remarks)
    assert found[0].explanation.find("R").value == 0.0
    assert found[0].explanation.find("1 / (κ + rank by words)").value == 0.0
    shown = orjson.loads(Answer(engine, found, explain=True).to_json())
    assert (shown["total"], shown["by_meaning"], len(shown["hits"])) == (20, 20, 5)
    by_words = engine.search(UNHEARD, config="default")
    assert (by_words.total, by_words.by_meaning) == (0, None)


def test_what_is_near_needs_no_word_that_tells(engine):
    asked = {"k": 500, "overrides": SMALL}
    every = engine.search(QUESTION, **asked)
    found = engine.search(QUESTION, discriminative=True, facets=["stance"], **asked)
    assert set(_by_meaning(engine, QUESTION, 20)) <= set(found.hits.ids) < set(every.hits.ids)
    assert found.total == len(found) == found.discriminative + found.by_meaning
    assert found.total + found.common == every.total
    assert sum(value.count for value in found.facets["stance"]) == found.total
    assert engine.search(UNHEARD, k=5, discriminative=True, overrides=SMALL).by_meaning == 20


def test_near_duplicates_sides_and_stances_are_those_of_all(engine):
    found = engine.search(QUESTION, k=40, collapse=True, sides=True, stance="con", overrides=SMALL)
    plain = engine.search(QUESTION, k=200, stance="con", overrides=SMALL)
    groups = plain.hits.candidates.source.groups(plain.hits.candidates.rows)
    firsts = np.sort(np.unique(groups, return_index=True)[1])[:40]
    assert found.hits.ids == [plain.hits.ids[i] for i in firsts]
    assert {hit.stance.value for hit in found} == {"CON"}
    assert found.groups == len(set(groups.tolist())) if len(plain) == plain.total else True


def test_a_question_in_other_words_lifts_what_is_near(engine):
    asked = [*SMALL, "meaning.weight=0.25", "meaning.paraphrase_weight=0"]
    by_words = engine.search(UNHEARD, k=20, overrides=asked)
    lifted = engine.search(UNHEARD, k=20, overrides=[*SMALL, "meaning.paraphrase_weight=2"])
    assert by_words.hits.ids == lifted.hits.ids  # nothing else is there
    term = lifted[0].explanation.find("1 / (κ + rank by meaning)")
    assert term.value == pytest.approx(2.0 / 61)
    assert term.find("ω_M").value == 2.0
    assert "comes to 0.00 of the nearest" in term.find("ω_M").description
    plain = engine.search(QUESTION, k=1, overrides=SMALL)[0]
    assert plain.explanation.find("ω_M") is None  # words find what is near


def test_sides_tell_by_meaning_what_is_on_the_question(engine):
    found = engine.search(QUESTION, k=40, sides=True)
    for hit in found:
        on = hit.side.explanation.details[0]
        parts = {one.description: one.value for one in on.details[0].details}
        if hit.conclusion is None:
            continue
        assert any("prototype" in name for name in parts)
        assert sum(parts.values()) == pytest.approx(on.details[0].value)
        assert on.value == pytest.approx(1 / (1 + np.exp(-on.details[0].value)))
    by_words = engine.search(QUESTION, k=5, sides=True, config="default")
    assert not any("prototype" in line for line in by_words[0].side.explanation.lines())


def test_what_a_question_is_about_follows_from_what_the_best_conclude(engine):
    sided = engine.search(QUESTION, k=10, sides=True).sided
    about, source, rows = sided.about, sided.whole.source, sided.whole.rows
    encoder = load_encoder("wordllama")
    held = source.concerning(about, rows[:10])
    asked = encoder.encode([sided.question])[0]  # in the words of debates
    for place, argument in enumerate(sided.whole.take(slice(10)).arguments):
        if argument.conclusion is None:
            assert np.isnan(held["nearest"][place])
            continue
        cosine = _cosine(asked, encoder.encode([argument.conclusion], 64)[0])
        passages = encoder.encode(passage_texts(argument.premise), 128)
        near = sorted((_cosine(asked, row) for row in passages), reverse=True)
        expected = {"claim": cosine, "passage": near[0], "passages": np.mean(near[:3])}
        for name, value in expected.items():
            z = (value - about.mean) / about.deviation
            assert held[name][place] == pytest.approx(z, abs=0.02)
        assert held["alike"][place] <= 1.0 + 1e-6
    assert held["passage"].max() <= np.nanmax(held["nearest"]) + 1e-9


def test_in_the_order_of_a_column_it_is_by_words_alone(engine):
    found = engine.search(QUESTION, k=5, sort="-quality")
    by_words = engine.search(QUESTION, k=5, sort="-quality", config="default")
    assert found.hits.ids == by_words.hits.ids
    assert found.by_meaning is None


def test_what_is_fused_holds_what_the_premises_factor_looks_at(engine):
    with pytest.raises(InvalidParameter, match=r"meaning\.depth must be from 100 .*, not 50"):
        engine.search(QUESTION, overrides=["meaning.depth=50"])


def _changed(index: Path, folder: Path, **settings: object) -> Path:
    """A copy of an index whose part `meaning` was made with other settings."""
    copy = shutil.copytree(index, folder / "index")
    content = manifest.read(copy)
    content["parts"]["meaning"]["settings"] |= settings
    files = content.pop("files")
    manifest.write(
        copy, {k: v for k, v in content.items() if k not in ("format", "fingerprint")}, files
    )
    return copy


def test_another_model_or_none_is_said_in_one_line(index, tmp_path):
    probe = manifest.read(index)["parts"]["meaning"]["settings"]["probe"]
    for number, (settings, error, message) in enumerate(
        [
            ({"probe": probe[::-1]}, AnotherEncoder, "the vectors of the part meaning were not"),
            ({"probe": probe[:100]}, AnotherEncoder, r"256 dimensions, the part has 100\)"),
            ({"encoder": "use:/nowhere"}, UNUSABLE, "there is no folder|not installed"),
            ({"dimensions": 384}, IndexDamaged, "--with meaning"),
        ]
    ):
        (tmp_path / str(number)).mkdir()
        with (
            Engine.open(_changed(index, tmp_path / str(number), **settings)) as engine,
            pytest.raises(error, match=message) as raised,
        ):
            engine.search(QUESTION)
        assert "\n" not in str(raised.value)
