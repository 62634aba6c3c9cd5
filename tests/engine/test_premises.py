"""Premises of the claims that a question finds, against a naive reading of the same corpus."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config, names
from argsearch.engine.units import UNITS
from argsearch.engine.units.premises.opened import Claims
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest
from argsearch.indexer.format.manifest import IndexDamaged
from argsearch.indexer.format.parts import Part
from argsearch.indexer.format.settings import IndexSettings
from argsearch.lab.runs import read_topics
from tests.conftest import SAMPLE
from tests.indexes import document, indexed

SERVED = "premises_index"
METHODS = [name for name in names() if name.startswith("dumani-2020-")]
QUESTION = "should zoos be abolished"


@pytest.fixture(scope="module")
def topics() -> list[str]:
    return [topic.title for topic in read_topics(SAMPLE / "topics.xml")]


def small_index(
    folder: Path, arguments: list[tuple[str | None, list[tuple[str, str]]]], distance: float = 0.05
) -> Path:
    """An index with the part, of (conclusion, premises with stance)."""
    documents = [
        {**document(f"a{n}", conclusion), "premises": [{"text": t, "stance": s} for t, s in said]}
        for n, (conclusion, said) in enumerate(arguments)
    ]
    settings = IndexSettings(
        claim_distance=distance, premise_distance=distance, parts=("premises",)
    )
    return indexed(folder, documents, settings)


# ---------------------------------------------------------------- against a naive reading


def claim_shares(engine: Engine, question: str) -> dict[str, float]:
    """P(c|q) by DFR In-L-H2 of the distinct conclusions, from their texts alone."""
    analyzer = StandardAnalyzer()
    texts = {engine.argument(id).conclusion for id in all_ids(engine)} - {None}  # type: ignore[union-attr]
    tokens = {text: analyzer.tokens(text) for text in texts}
    counts = {text: Counter(own) for text, own in tokens.items()}
    T, N = sum(map(len, tokens.values())), len(texts)
    scores: dict[str, float] = defaultdict(float)
    for word, times in Counter(analyzer.tokens(question)).items():
        df = sum(word in own for own in counts.values())
        for text, own in counts.items():
            if word in own:
                tfn = own[word] * math.log2(1 + T / N / len(tokens[text]))
                scores[text] += times * tfn * math.log2((N + 1) / (df + 0.5)) / (tfn + 1)
    return {text: score / sum(scores.values()) for text, score in scores.items()}


def all_ids(engine: Engine) -> list[str]:
    return [engine.backend.ids[row] for row in range(engine.info.documents)]  # type: ignore[attr-defined]


def test_plain_scores_are_those_of_a_naive_reading(engine: Engine) -> None:
    """Σ of P(c|q)·Π (1 + wins)/Z, wins counted pair by pair with the model's scores."""
    from argsearch.indexer.quality.pairwise import load_pairwise_model

    model, groups = load_pairwise_model(), defaultdict(set)
    for id in all_ids(engine):
        argument = engine.argument(id)
        for premise in argument.premises if argument.conclusion else ():
            groups[argument.conclusion, premise.stance or "PRO"].add(premise.text)
    expected: dict[tuple[str, str], float] = defaultdict(float)
    shares = claim_shares(engine, QUESTION)
    for (conclusion, stance), texts in groups.items():
        ordered = sorted(texts)
        scores = model.scores(ordered)
        wins = (scores[:, None, :] > scores[None, :, :]).sum(axis=1)
        weight = np.prod((1 + wins) / (1 + wins).sum(axis=0), axis=1)
        for text, own in zip(ordered, weight.tolist(), strict=True):
            expected[text, stance] += shares.get(conclusion, 0.0) * own
    config = load_config("dumani-2020-plain-all")
    section = replace(config.premises, depth=1000)
    config = replace(config, retrieval=replace(config.retrieval, lengths="exact"), premises=section)
    results = engine.premises(QUESTION, k=1000, config=config)
    assert sum(hit.score for hit in results.hits) == pytest.approx(sum(expected.values()))
    for hit in results.hits[:10]:
        members = hit.details.members(1000)
        assert len(members) == hit.details.size
        own = sum(expected[one.text, hit.stance] for one in members)
        assert hit.score == pytest.approx(own)


# ---------------------------------------------------------------- the 13 methods


@pytest.mark.thorough
@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers_every_topic(engine: Engine, topics: list[str], method: str) -> None:
    for question in topics:
        results = engine.premises(question, k=1000, config=method)
        assert results.total == len(results.hits) > 0
        scores = [hit.score for hit in results.hits]
        assert scores == sorted(scores, reverse=True)
        hit = results.hits[0]
        root = hit.explanation
        assert root.value == hit.score
        assert sum(part.value for part in root.details) == pytest.approx(hit.score)
        assert sum(claim.adds for claim in hit.details.claims(1000)) == pytest.approx(hit.score)


def test_a_word_that_is_asked_twice_counts_twice(engine: Engine) -> None:
    """In the scores of claims, in their shares, and in the explanation of both."""
    twice = f"{QUESTION} {QUESTION.split()[-1]}"
    assert claim_shares(engine, twice) != pytest.approx(claim_shares(engine, QUESTION))
    exact = ("retrieval.lengths=exact", "premises.depth=1000")
    hits = engine.premises(twice, k=5, overrides=exact, config="dumani-2020-plain-all").hits
    expected = claim_shares(engine, twice)
    for hit in hits:
        for claim in hit.details.claims(100):
            assert claim.share == pytest.approx(expected[claim.text])
        scores = [node for node in hit.explanation if node.description == "score of the claim"]
        assert scores
        for node in scores:
            assert node.value == pytest.approx(sum(part.value for part in node.details))


def test_a_claim_is_worth_more_the_nearer_it_is_to_the_question(engine: Engine) -> None:
    """Score by content words × cosine², from texts alone; its explanation has the same factors."""
    hits = engine.premises(QUESTION, k=1000, overrides=("premises.depth=1000",)).hits
    plain = ("premises.depth=1000", "premises.cosine=0")
    by_words = engine.premises(QUESTION, k=1000, overrides=plain).hits
    nodes = {claim.text: claim.share for hit in by_words for claim in hit.details.claims(1000)}
    asked, *rows = engine.encoder.encode([QUESTION, *nodes]).astype(float)
    weighed = {
        text: share * max(0.0, float(row @ asked)) ** 2
        for (text, share), row in zip(nodes.items(), rows, strict=True)
    }
    total = sum(weighed.values())
    for hit in hits:
        for claim in hit.details.claims(100):
            assert claim.share == pytest.approx(weighed[claim.text] / total, rel=0.02)
    node = next(node for node in hits[0].explanation if node.description == "score of the claim")
    assert node.value == pytest.approx(node.details[0].value * node.details[1].value)
    assert node.details[1].description.startswith("max(0, cosine of question and claim)")


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("are zoos bad for animals", "zoos"),
        ("should animals be used for testing", "animal testing"),
    ],
)
def test_the_first_hit_is_of_the_subject(engine: Engine, question: str, subject: str) -> None:
    """As published, words such as *bad* and *should be* find claims of another one first."""
    published = ("premises.words=all", "premises.cosine=0")
    for overrides, on_subject in (((), True), (published, False)):
        (hit,) = engine.premises(question, k=1, overrides=overrides).hits
        assert (subject in hit.details.claims(1)[0].text.lower()) == on_subject


def test_a_subject_that_the_corpus_lacks_has_no_hits(engine: Engine) -> None:
    assert engine.premises("should marijuana be legal").total == 0


def test_premises_of_a_hit_come_by_what_they_add(engine: Engine) -> None:
    """Those of the claims found; the others of the cluster stand after them."""
    several = 0
    for hit in engine.premises(QUESTION, k=100).hits:
        weighed = hit.details.answered.weighed
        own = (weighed.cluster == hit.details.cluster) & (weighed.stance == hit.details.code)
        links = np.flatnonzero(own)
        claims = hit.details.answered.claims
        adds: dict[str, float] = defaultdict(float)
        for link, part in zip(weighed.links[links], weighed.parts[links], strict=True):
            premise = claims.scoring.premise[link]
            adds[engine.backend.ids[claims.arrays.premise_document[premise]]] += part  # type: ignore[attr-defined]
        shown = [one.argument for one in hit.details.members(hit.details.found)]
        assert len({one.argument for one in hit.details.members(1000)}) >= len(set(shown))
        assert set(shown) == set(adds)
        values = [adds[id] for id in shown]
        assert values == sorted(values, reverse=True)
        several += len(set(values)) > 1
    assert several


def test_stances_apart_are_the_merged_list(engine: Engine) -> None:
    merged = engine.premises(QUESTION, k=1000)
    for stance in ("pro", "con"):
        apart = engine.premises(QUESTION, k=1000, stance=stance)
        same = [hit for hit in merged.hits if hit.stance == stance.upper()]
        assert [h.details.cluster for h in apart.hits] == [h.details.cluster for h in same]
        assert [h.score for h in apart.hits] == [h.score for h in same]
        overrides = (f"premises.stance={stance}",)
        assert len(engine.premises(QUESTION, k=1000, overrides=overrides).hits) == len(same)
    for wrong, said in (
        ({"stance": "maybe"}, "stance must be pro or con, not 'maybe'"),
        ({"overrides": ("premises.dimensions=[]",)}, "premises.dimensions"),
    ):
        with pytest.raises(InvalidParameter, match=said):
            engine.premises(QUESTION, **wrong)


def test_what_is_shown_is_the_longest(engine: Engine) -> None:
    for hit in engine.premises(QUESTION, overrides=("premises.representative=cluster",)).hits:
        members = hit.details.members(1000)
        assert len(hit.details.representative.text) == max(len(one.text) for one in members)
    for hit in engine.premises(QUESTION, overrides=("premises.representative=found",)).hits:
        members = hit.details.members(hit.details.found)
        assert len(hit.details.representative.text) == max(len(one.text) for one in members)
        assert engine.argument(hit.id).premises[0].text == hit.details.representative.text  # type: ignore[union-attr]


def test_depth_limits_the_claims(engine: Engine) -> None:
    deep = engine.premises(QUESTION, k=1000, overrides=("premises.depth=1000",))
    assert deep.details > 3
    published = ("premises.depth=3", "premises.words=all", "premises.cosine=0")
    few = engine.premises(QUESTION, k=1000, overrides=published)
    assert few.details == 3
    kept = {claim.text for hit in few.hits for claim in hit.details.claims()}
    shares = claim_shares(engine, QUESTION)
    assert kept <= set(sorted(shares, key=shares.__getitem__, reverse=True)[:6])


def test_the_unit_names_no_argument_twice(engine: Engine, topics: list[str]) -> None:
    for question in topics[:5]:
        results = engine.rank(question, unit="premises", k=1000)
        ids = [hit.id for hit in results.hits]
        assert len(ids) == len(set(ids)) > 0
        assert {UNITS["premises"].column(hit) for hit in results.hits} <= {"PRO", "CON"}
        assert results.hits[0].explanation.value == results.hits[0].score
        assert len(results.hits[0].texts) == 2


# ---------------------------------------------------------------- awkward corpora


def test_null_conclusions_both_stances_and_no_claim(tmp_path: Path) -> None:
    same = "Cages make animals ill and afraid"
    index = small_index(
        tmp_path,
        [
            (None, [("Nothing follows from this about zoos", "PRO")]),
            ("Zoos are cruel", [(same, "PRO")]),
            ("Zoos are cruel", [(same, "CON"), ("  ", "PRO")]),
            ("Zoos are cheap", [("Tickets cost next to nothing there", "CON")]),
            ("Nobody says why zoos", []),
        ],
    )
    said = manifest.read(index)["parts"]["premises"]["settings"]
    assert (said["without_conclusion"], said["blank_premises"]) == (1, 1)
    with Engine.open(index) as engine:
        results = engine.premises("are zoos cruel")
        assert results.details == 2  # a conclusion that nothing supports or attacks is no claim
        found = {(hit.stance, hit.details.representative.text) for hit in results.hits}
        assert found == {
            ("PRO", same),
            ("CON", same),
            ("CON", "Tickets cost next to nothing there"),
        }
        by_stance = {hit.stance: hit.score for hit in results.hits if hit.details.size == 1}
        assert set(by_stance) == {"PRO", "CON"}
        assert len(engine.rank("are zoos cruel", unit="premises").hits) == 2
        nothing = engine.premises("quantum")
        assert (list(nothing.hits), nothing.total, nothing.details) == ([], 0, 0)
        assert list(engine.rank("quantum", unit="premises").hits) == []


def test_an_index_without_any_claim(tmp_path: Path) -> None:
    index = small_index(tmp_path, [(None, [("Zoos and nothing else", "PRO")])])
    with Engine.open(index) as engine:
        assert engine.premises("zoos").total == 0


# ---------------------------------------------------------------- the part


@pytest.mark.parametrize(
    "array", ["claim_document", "premise", "premise_cluster", "starts", "members", "occurrences"]
)
@pytest.mark.parametrize("value", [-1, 1 << 30])
def test_numbers_that_lead_out_of_the_arrays_are_noticed(
    engine: Engine, array: str, value: int
) -> None:
    """What `open` leaves to `verify` in large files cannot make a query read elsewhere."""
    part = engine.backend.part("premises")
    changed = part[array].copy()
    changed[len(changed) // 2] = value
    broken = Part(part.name, part.settings, {**part.arrays, array: changed})
    with pytest.raises(IndexDamaged, match=array):
        Claims(engine.backend, broken)  # type: ignore[arg-type]
