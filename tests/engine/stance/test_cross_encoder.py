"""The cross-encoder of sides: what it reads, how it is mixed with the words, what is refused."""

from __future__ import annotations

import json
import sys
from importlib import util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.stance.cross_encoder import (
    CHARACTERS,
    WORDS,
    CrossEncoder,
    agreement_of,
    cut_words,
    named,
)
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.subject import BEST
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.errors import InvalidParameter, MissingExtra
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.model_files import CARD, ModelError
from argsearch.ranking.numbers import sigmoid
from tests import sides_model
from tests.conftest import SAMPLE

QUESTION = "Should we keep zoos?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sides_model.write(tmp_path_factory.mktemp("sides") / "tiny")


def argument(conclusion: str | None, stance: Stance | None = Stance.PRO) -> Argument:
    premise = Premise("They belong in the wild, for nobody asked them.", stance)
    return Argument(f"S{conclusion}", conclusion, (premise,))


@given(st.text())
def test_so_many_words_and_characters_are_read(text: str) -> None:
    read = cut_words(text)
    assert len(read.split()) <= WORDS
    assert len(read) <= CHARACTERS
    assert cut_words(read) == read.strip() or len(read) == CHARACTERS


def test_an_agreement_is_the_share_of_for_and_half_of_neither() -> None:
    logits = np.log(np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]]))
    assert agreement_of(logits) == pytest.approx([0.75, 0.5])
    assert ((agreement_of(np.array([[900.0, 0, 0], [0, 900.0, 0]])) * 2 - 1) ** 2 < 1).all()


def test_what_is_read_depends_on_no_other_claim(folder: Path) -> None:
    reader = CrossEncoder.load(str(folder))
    claims = ["Zoos are good", "Ban zoos", "Zoos", "", "Zoos are harmful " * 40, "Ban zoos"]
    together = reader.agreements(QUESTION, claims)
    reader._remembered.cache_clear()
    alone = {claim: reader.agreements(QUESTION, [claim])[claim] for claim in reversed(claims)}
    assert together == alone
    assert together["Zoos are good"].probability == pytest.approx(
        (np.exp(2) + 0.5) / (np.exp(2) + np.exp(-2) + 1)
    )
    assert together["Ban zoos"].probability == pytest.approx(0.5)


def test_sides_are_mixed_and_explained(folder: Path) -> None:
    model, reader = StanceModel.load(), CrossEncoder.load(str(folder))
    ours = argument("Zoos are good")
    words = model.given(model.evidence(QUESTION, [ours])[0])
    (evidence,) = model.evidence(QUESTION, [ours], (), reader)
    mixed = model.given(evidence)
    p = evidence.agreement.probability
    assert mixed == {
        **{name: 0.5 * part for name, part in words.items()},
        "read": pytest.approx(1.5 * np.log(p / (1 - p))),
    }
    (side,) = model.sides(QUESTION, [ours], (), reader)
    branch = side.explanation.details[1]
    share = float(sigmoid(abs(sum(mixed.values()))))
    assert branch.value == pytest.approx(share)
    assert branch.details[0].value == pytest.approx(sum(d.value for d in branch.details[0].details))
    said = f"read by tiny: conclusion agrees with the question {p:.2f}"
    assert any(one.description.startswith(said) for one in branch.details[0].details)
    (against,) = model.evidence(QUESTION, [argument("Zoos are good", Stance.CON)], (), reader)
    assert model.given(against)["read"] == pytest.approx(-mixed["read"])


@pytest.mark.parametrize("conclusion", [None, "", "Zoos"])
def test_without_a_conclusion_or_a_stance_words_alone_are_read(
    folder: Path, conclusion: str | None
) -> None:
    model, reader = StanceModel.load(), CrossEncoder.load(str(folder))
    one = argument(conclusion, Stance.PRO if conclusion != "Zoos" else None)
    assert model.sides(QUESTION, [one], (), reader) == model.sides(QUESTION, [one])


@pytest.mark.thorough
def test_only_conclusions_of_the_best_hits_are_read(folder: Path) -> None:
    model, reader = StanceModel.load(), CrossEncoder.load(str(folder))
    best = [argument(f"Zoo {i} is harmful") for i in range(BEST + 5)]
    found = model.evidence(QUESTION, [*best, best[0]], best, reader)
    assert [one.agreement is None for one in found] == [False] * BEST + [True] * 5 + [False]


@pytest.mark.thorough
def test_a_configuration_names_the_model(folder: Path, sample_index: Path) -> None:
    with Engine.open(sample_index) as engine:
        plain = engine.search(QUESTION, k=BEST, sides=True)
        off = engine.search(QUESTION, k=BEST, sides=True, overrides=["stance.model=none"])
        named_one = [f"stance.model={folder}"]
        read = engine.search(QUESTION, k=BEST, sides=True, overrides=named_one)
        unsided = engine.search(QUESTION, k=BEST, overrides=named_one)
        assert plain.sides == off.sides
        assert read.sides != plain.sides
        assert [hit.id for hit in read] == [hit.id for hit in plain]
        lines = "\n".join(read.sides[0].explanation.lines())
        assert "read by tiny: conclusion agrees with the question" in lines
        assert any("read by tiny" in "\n".join(s.explanation.lines()) for s in unsided.sides)
        absent = [f"stance.model={folder}-absent"]
        assert len(engine.search(QUESTION, overrides=absent)) == 10
        with pytest.raises(ModelError, match=r"-absent' has no model\.json .*stance\.model = none"):
            engine.search(QUESTION, sides=True, overrides=absent)


@pytest.mark.slow
def test_an_index_names_the_model(folder: Path, tmp_path: Path) -> None:
    corpus, plain = [str(SAMPLE / "arguments.json")], IndexSettings(encoder="none")
    build(BuildRequest(corpus, tmp_path / "plain", settings=plain))
    naming = IndexSettings(encoder="none", sides_model=str(folder))
    build(BuildRequest(corpus, tmp_path / "naming", settings=naming))
    with Engine.open(tmp_path / "naming") as engine, Engine.open(tmp_path / "plain") as other:
        assert "sides_model" not in other.info.manifest["settings"]
        read = engine.search(QUESTION, sides=True)
        assert "read by tiny" in "\n".join(read.sides[0].explanation.lines())
        words = engine.search(QUESTION, sides=True, overrides=["stance.model=none"])
        assert words.sides == other.search(QUESTION, sides=True).sides
    lost = IndexSettings(encoder="none", sides_model=str(tmp_path / "lost"))
    with pytest.raises(ModelError, match=r"lost' has no model\.json"):
        build(BuildRequest(corpus, tmp_path / "refused", settings=lost))
    assert not (tmp_path / "refused").exists()


def refused(folder: Path, what: str) -> None:
    with pytest.raises(ModelError) as caught:
        CrossEncoder.load(str(folder))
    said = str(caught.value)
    assert said.startswith(f"model of sides {str(folder)!r} {what}")
    assert "make one with: argsearch train sides" in said
    assert "\n" not in said


def test_damage_is_told_in_a_line(tmp_path: Path) -> None:
    refused(tmp_path / "none", "has no model.json (No such file or directory)")
    folder = sides_model.write(tmp_path / "tiny")
    network = folder / "network.onnx"
    whole = network.read_bytes()
    network.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    refused(folder, "holds a damaged network.onnx (its SHA-256 does not match)")
    network.unlink()
    refused(folder, "lacks network.onnx (No such file or directory)")
    card = json.loads((folder / CARD).read_bytes())
    (folder / CARD).write_text(json.dumps(card | {"version": 99}))
    refused(folder, "is 'argsearch model of sides' version 99")
    (folder / CARD).write_text("[")
    refused(folder, "has a damaged model.json")
    refused(sides_model.write(tmp_path / "weightless", mixed={}), "lacks an array")
    refused(sides_model.write(tmp_path / "other", network="tokenizer.json"), "cannot be run")


def test_a_missing_library_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, found = sides_model.write(tmp_path / "tiny"), util.find_spec
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    monkeypatch.setattr(
        "argsearch.indexer.encoders.base.find_spec",
        lambda name: None if name == "onnxruntime" else found(name),
    )
    with pytest.raises(MissingExtra, match=r"onnxruntime is not installed.*\[onnx\]"):
        CrossEncoder.load(str(folder))


def test_none_is_no_model_and_an_empty_name_is_refused(sample_index: Path) -> None:
    assert named("none") is None
    with Engine.open(sample_index) as engine, pytest.raises(InvalidParameter, match="stance.model"):
        engine.search(QUESTION, overrides=["stance.model="])
