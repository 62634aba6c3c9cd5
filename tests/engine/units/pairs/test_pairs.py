"""Pairs: retrieval as W22 has it, awkward sentences, damage, explanations, runs."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.api.cli.main import run as argsearch
from argsearch.engine import Engine
from argsearch.engine.units import UNITS
from argsearch.indexer.encoders import word_vectors
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.parts import PartMissing
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.adding import add_parts
from argsearch.indexer.parts.pairs.comparing import Ingredients, moves
from argsearch.indexer.parts.pairs.sentences import CONCLUSION, PREMISE, sentence_id, sentences
from argsearch.lab.runs import read_run
from argsearch.ranking.vectors import SentenceRows, norms, quantise
from tests.indexer.encoders.test_word_vectors import Listed
from tests.indexes import Built, document, indexed
from tests.ranking.plain import nearest_plain

SETUPS = (*(f"hit-girl-2022-{name}" for name in ("baseline", "mmr", "sd", "wmd")), "pairs-default")
QUESTION = "Should zoos be closed?"
SERVED = "index"
LIGHT = IndexSettings(quality_model="none")
LONG = " ".join(f"word{n}" for n in range(5000))
AWKWARD = (
    "Yes", "", "!!!", LONG, "xqzzy wvvk", "Zoos sollten geschlossen werden.", "动物园", "a\n\nb",
    "Zoos harm animals. They also harm us.", "Zoos harm animals. Zoos harm animals.",
)  # fmt: skip


def of_texts(folder: Path, arguments: list[tuple[str | None, str, str | None]]) -> Path:
    """An index of (conclusion, premise, stance)."""
    documents = [
        document(f"S{n}-A{n}", conclusion, premise, stance=stance)
        for n, (conclusion, premise, stance) in enumerate(arguments)
    ]
    return indexed(folder, documents, LIGHT)


@pytest.fixture(scope="module")
def bare(built: Built) -> Path:
    return built(settings=IndexSettings())


@pytest.fixture(scope="module")
def index(bare: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = Path(shutil.copytree(bare, tmp_path_factory.mktemp("pairs") / "index"))
    add_parts(out, ["pairs"])
    return out


def naive(engine: Engine, question: str) -> list[str]:
    """W22's baseline from the texts alone: dictionaries, loops and sorting."""
    store = engine.backend.store  # type: ignore[attr-defined]
    docs = np.argsort(engine.backend.arrays.store_rows)  # type: ignore[attr-defined]
    arguments = [store[doc] for doc in docs.tolist()]
    sides = {}
    for side in (CONCLUSION, PREMISE):
        firsts: dict[str, tuple[str, object]] = {}
        for a in arguments:
            for s in sentences(a, side):
                if any(c.isalnum() for c in s.text):
                    firsts.setdefault(s.text, (sentence_id(a.id, side, s.place), a.stance))
        sides[side] = firsts
    rows = {side: embedded(engine, list(firsts)) for side, firsts in sides.items()}
    conclusions, premises = (list(sides[side].values()) for side in (CONCLUSION, PREMISE))
    found, seen = [], set()
    asked = nearest_plain(embedded(engine, [question]), rows[CONCLUSION], 100)[0]
    for c, _ in asked:
        query = rows[CONCLUSION][np.array([c])]
        for p, _ in nearest_plain(query, rows[PREMISE], 50)[0]:
            same = {conclusions[c][1], premises[p][1]}
            if p not in seen and (len(same) == 1 or None in same):
                seen.add(p)
                found.append(f"{conclusions[c][0]},{premises[p][0]}")
    return found


def embedded(engine: Engine, texts: list[str]) -> SentenceRows:
    from argsearch.indexer.analysis.standard import StandardAnalyzer

    levels = quantise(engine.encoder.encode(texts))[0]
    tokens = [len(StandardAnalyzer().tokens(text)) for text in texts]
    return SentenceRows(levels, norms(levels), np.array(tokens, np.int32))


@pytest.mark.thorough
@pytest.mark.parametrize("question", [QUESTION, "uniforms"])
def test_the_baseline_is_what_the_paper_says(engine: Engine, question: str):
    expected = naive(engine, question)
    results = engine.pairs(question, k=10_000, config="hit-girl-2022-baseline")
    assert [hit.id for hit in results.hits] == expected
    assert results.total == len(expected)


SENTENCES = (
    "Zoos harm animals.", "Animals suffer in the small cages of nearly all of the zoos.", "Why?",
    "Close them.", "School uniforms are cheap and make all the children in a class look alike.",
    "Taxes on sugar help.", "Nobody should pay for what only a few of the people want to have.",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(SENTENCES), max_size=4).map(" ".join)
DOCUMENTS = st.tuples(st.none() | TEXTS, TEXTS, st.sampled_from(["PRO", "CON", None]))


@pytest.mark.thorough
@settings(max_examples=3)
@given(
    documents=st.lists(DOCUMENTS, min_size=1, max_size=8),
    question=st.sampled_from(["zoos", "Should children wear uniforms?", "Taxes"]),
)
def test_the_baseline_on_random_corpora(documents, question):
    with TemporaryDirectory() as folder:
        documents = [("Zoos should close soon.", SENTENCES[1], "PRO"), *documents]
        out = of_texts(Path(folder), documents)
        add_parts(out, ["pairs"])
        with Engine.open(out) as engine:
            results = engine.pairs(question, k=10_000, config="hit-girl-2022-baseline")
            assert [hit.id for hit in results.hits] == naive(engine, question)


@pytest.mark.thorough
@pytest.mark.parametrize("config", SETUPS)
def test_explanations_and_rules(engine: Engine, config: str):
    hits = engine.pairs(QUESTION, k=200, config=config).hits
    assert len(hits) > 20
    scores = [hit.score for hit in hits]
    assert np.isfinite(scores).all()
    assert scores == sorted(scores, reverse=True)
    premises = [hit.id.split(",")[1] for hit in hits]
    assert len(set(premises)) == len(premises)
    for hit in hits[:10]:
        assert hit.explanation.value == hit.score
        for doc, text in zip(hit.arguments[::-1], hit.texts, strict=False):
            assert text in engine.argument(doc).text  # type: ignore[union-attr]
        stance = engine.argument(hit.id.partition("__")[0]).stance  # type: ignore[union-attr]
        assert UNITS["pairs"].column(hit) == (stance.value if stance else "NONE")


@pytest.mark.thorough
def test_the_default_stays_in_one_argument_and_states(engine: Engine):
    hits = engine.pairs(QUESTION, k=50).hits
    assert all(len(hit.arguments) == 1 for hit in hits)
    assert not any(hit.texts[1].endswith("?") for hit in hits)
    concluded = Counter(hit.texts[0] for hit in hits)
    assert len(concluded) == 8
    assert 4 < max(concluded.values()) <= 10
    held = engine.pairs(QUESTION, k=50, overrides=["pairs.max_per_conclusion=4"]).hits
    assert max(Counter(hit.texts[0] for hit in held).values()) == 4


def test_an_argument_gives_no_more_pairs_than_allowed(engine: Engine):
    for config in ("pairs-default", "hit-girl-2022-baseline"):
        free = engine.pairs(QUESTION, k=50, config=config, overrides=["pairs.max_per_argument=50"])
        assert max(Counter(hit.arguments[0] for hit in free.hits).values()) > 2
        for most in (1, 2):
            held = ["pairs.diversity_threshold=1", f"pairs.max_per_argument={most}"]
            hits = engine.pairs(QUESTION, k=50, config=config, overrides=held).hits
            counts = Counter(hit.arguments[0] for hit in hits)
            assert max(counts.values()) == most
            every = engine.pairs(
                QUESTION, k=2000, config=config,
                overrides=["pairs.diversity_threshold=1", "pairs.max_per_argument=50"],
            ).hits  # fmt: skip
            expected, seen = [], Counter[str]()
            for hit in every:
                seen[hit.arguments[0]] += 1
                if seen[hit.arguments[0]] <= most:
                    expected.append(hit.id)
            if config != "pairs-default":  # which bounds the pairs of a conclusion too
                assert [hit.id for hit in hits] == expected[:50]


def test_the_rank_of_an_argument_raises_its_pairs(engine: Engine):
    weights = ["boost.quality=10", "boost.cluster=1", "pairs.argument=3"]
    config = "hit-girl-2022-baseline"
    ranked = engine.search(QUESTION, k=1000, config=config, overrides=weights[:2])
    best = ranked.hits[0].score
    A = {hit.id: max(0.0, hit.score / best) for hit in ranked.hits}
    hits = engine.pairs(QUESTION, k=500, config=config, overrides=weights).hits
    for hit in hits:
        node = hit.explanation.find("A")
        assert node.value == pytest.approx(A.get(hit.arguments[0], 0.0))
        score = next(n for n in hit.explanation if n.description == "score × factor")
        before, factor = score.details
        assert factor.value == pytest.approx(1 + 3 * node.value)
        assert score.value == pytest.approx(before.value * factor.value)
    assert len({hit.explanation.find("A").value for hit in hits}) > 3  # type: ignore[union-attr]


def test_what_is_unlike_the_question_is_not_lowered(engine: Engine):
    """T, a premise's cosine with the question, counts from 0: below, its factor is 1."""
    config, weight = "hit-girl-2022-baseline", ["pairs.question=3"]
    hits = engine.pairs("Taxes", k=10_000, config=config, overrides=weight).hits
    texts = [hit.texts[1] for hit in hits]
    cosines = engine.encoder.encode(texts) @ engine.encoder.encode(["Taxes"])[0]
    assert cosines.min() < -0.02
    for hit, cosine in zip(hits, cosines.tolist(), strict=True):
        T = hit.explanation.find("T")
        assert T.value == pytest.approx(max(0.0, cosine), abs=0.01)
        score = next(n for n in hit.explanation if n.description == "score × factor")
        assert score.value == pytest.approx(score.details[0].value * (1 + 3 * T.value))


@pytest.mark.thorough
def test_another_token_factor_is_searched_anew(engine: Engine):
    for name in ("baseline", "wmd"):
        config = f"hit-girl-2022-{name}"
        kept = engine.pairs(QUESTION, k=30, config=config)
        nearly = ["pairs.premise_factor=1.7500001"]  # the same premises, found for the question
        anew = engine.pairs(QUESTION, k=30, config=config, overrides=nearly)
        assert [hit.id for hit in anew.hits] == [hit.id for hit in kept.hits]
    with pytest.raises(InvalidParameter, match=r"pairs\.premise_factor"):
        engine.pairs(QUESTION, overrides=["pairs.premise_factor=1.0"])


@pytest.mark.thorough
@pytest.mark.parametrize("config", SETUPS)
def test_awkward_sentences(tmp_path: Path, config: str):
    texts = [(a, b, None) for a in AWKWARD for b in AWKWARD[::-1]]
    out = of_texts(tmp_path, texts)
    add_parts(out, ["pairs"])
    with Engine.open(out) as engine:
        for question in (QUESTION, "zoos", "?!", LONG, "动物园", "xqzzy"):
            for hit in engine.pairs(question, config=config).hits:
                assert np.isfinite([node.value for node in hit.explanation]).all()
                assert all(hit.texts)
        with pytest.raises(InvalidParameter, match="at least one word"):
            engine.pairs(" ")
        with pytest.raises(InvalidParameter, match="k must be .*, not 0"):
            engine.pairs("zoos", k=0)


def test_no_conclusion_says_so(tmp_path: Path):
    out = of_texts(tmp_path, [(None, "Zoos harm.", "PRO")] * 3)
    with pytest.raises(InvalidParameter, match="needs a corpus with at least one conclusion"):
        add_parts(out, ["pairs"])
    with (
        Engine.open(out) as engine,
        pytest.raises(PartMissing, match="argsearch index --with pairs"),
    ):
        engine.pairs("zoos")


def test_occurrences_are_remembered(tmp_path: Path):
    documents = [("Close the zoos now please.", "Zoos harm the animals in them every day.", s)
                 for s in ("PRO", "CON")]  # fmt: skip
    out = of_texts(tmp_path, documents)
    add_parts(out, ["pairs"])
    with Engine.open(out) as engine:
        pairs = engine.unit("pairs").index
        assert len(pairs.premises.rows) == len(pairs.conclusions.rows) == 1
        assert len(pairs.premises.docs) == len(pairs.conclusions.docs) == 2
        (hit,) = engine.pairs("zoos", config="hit-girl-2022-baseline",
                              overrides=["pairs.premise_factor=1.0"]).hits  # fmt: skip
        assert (hit.id, UNITS["pairs"].column(hit)) == ("S0-A0__CONC__1,S0-A0__PREMISE__1", "PRO")


@pytest.mark.thorough
def test_a_run_passes_the_fields_check(index: Path, tmp_path: Path):
    tira = pytest.importorskip("tira.check_format", reason="install the extra `dev` (tira)")
    topics = tmp_path / "topics.xml"
    asked = enumerate(("zoos", "school uniforms", "animals", "voting", "homework"), 1)
    written = (f"<topic><number>{n}</number><title>{t}</title></topic>" for n, t in asked)
    topics.write_text(f"<topics>{''.join(written)}</topics>")
    out = tmp_path / "run" / "run.txt"
    out.parent.mkdir()
    words = ["run", str(topics), "--index", str(index), "--out", str(out), "--unit", "pairs"]
    assert argsearch([*words, "--config", "pairs-default", "-k", "50", "--quiet"]) == 0
    verdict, message = tira.check_format(out.parent, "run.txt", {})
    assert verdict.name == "OK", message
    assert {line.split()[1] for line in out.read_text().splitlines()} <= {"PRO", "CON", "NONE"}
    assert list(read_run(out).rankings) == ["1", "2", "3", "4", "5"]


def test_a_tagger_and_word_vectors_are_those_of_the_configuration(engine, monkeypatch):
    """Other ones than the index was made with are used for the question."""
    source = Listed({"zoos": [0, 0], "animals": [3, 4], "closed": [9, 9]})
    monkeypatch.setattr(word_vectors, "_spacy", lambda _model, _as_published: source)
    by = Ingredients(vectors="spacy-content:listed", words=7)
    asked = ("pairs.vectors='spacy-content:listed'", "pairs.word_limit=7", "pairs.conclusions=3")
    for hit in engine.pairs(QUESTION, config="hit-girl-2022-wmd", overrides=asked).hits:
        (conclusion, premise), tree = hit.texts, hit.explanation
        far = [n.value for n in tree if n.description == "x, word mover's distance"]
        if {"zoos", "animals", "closed"} & set(premise.lower().split()):
            assert far[-1] == pytest.approx(moves(conclusion, [premise], by)[0])
            assert far[-1] <= 15
    wrong = ("pairs.tagger=best",)
    with pytest.raises(InvalidParameter, match="must be lexicon or spacy:NAME-OR-FOLDER, not"):
        engine.pairs(QUESTION, config="hit-girl-2022-sd", overrides=wrong)
