"""The registry: a model is its class and a line, and its parameters are keys of a configuration."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import SimpleNamespace

import pytest

from argsearch.ranking.parameters import parameter
from argsearch.ranking.similarities import registry
from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.bm25f import FieldWeights
from argsearch.ranking.similarities.dfr import DFR
from argsearch.ranking.similarities.registry import SIMILARITIES, keys, keys_of, make, weighs_fields


@pytest.mark.parametrize("name", SIMILARITIES)
def test_every_parameter_has_its_default_range_and_sentence(name: str) -> None:
    for one in fields(SIMILARITIES[name]):
        told, default = one.metadata, one.default
        assert told["doc"]
        if told["choices"]:
            assert default in told["choices"]
        else:
            assert told["low"] <= default <= told["high"]
            for value in (told["low"], told["high"]):
                SIMILARITIES[name](**{one.name: value})  # what a configuration may ask for is taken
    defaults = SimpleNamespace(**{key: one.default for key, one in keys_of(name).items()})
    assert make(name, defaults) == SIMILARITIES[name]()


def test_keys_set_the_fields_that_they_name() -> None:
    settings = {key: one.default for key, one in keys().items()}
    asked = SimpleNamespace(**settings | {"dfr_mu": 5.0, "mu": 7.0, "dfr_basic": "G", "k1": 2.0})
    assert make("dfr", asked) == DFR("G", mu=5.0)
    assert make("bm25", asked) == BM25(2.0)
    assert make("bm25f", asked) == FieldWeights(2.0)
    assert [name for name in SIMILARITIES if weighs_fields(name)] == ["bm25f"]


def test_a_new_model_brings_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True, slots=True)
    class Coordination:
        """How many of the query's terms a document has."""

        bonus: float = parameter(1.0, "what each term counts", low=0.0, high=9.0)

    monkeypatch.setitem(registry.SIMILARITIES, "coordination", Coordination)
    assert keys()["bonus"].metadata["doc"] == "what each term counts"
    assert make("coordination", SimpleNamespace(bonus=3.0)) == Coordination(3.0)


def test_one_key_has_one_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Other:
        k1: float = parameter(2.0, "another k1", low=0.0, high=9.0)

    monkeypatch.setitem(registry.SIMILARITIES, "other", Other)
    with pytest.raises(ValueError, match="other and an earlier model define the key 'k1'"):
        keys()


def test_no_model_takes_a_key_that_all_have(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Other:
        lengths: str = parameter("lucene", "another reading", choices=("lucene",))

    monkeypatch.setitem(registry.SIMILARITIES, "other", Other)
    with pytest.raises(ValueError, match="other must not define the key 'lengths', which all"):
        keys()
