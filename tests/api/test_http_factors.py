"""The factors of every configuration over HTTP multiply to the score, before any re-ranking.

But for `meaning`, which needs its part and fuses ranks: tests/engine/test_meaning.py.
"""

from __future__ import annotations

import pytest

from argsearch.engine.config import load_config, names


def nodes(tree):
    """Every node of an explanation, this one first."""
    return [tree, *(node for detail in tree["details"] for node in nodes(detail))]


@pytest.mark.thorough
@pytest.mark.parametrize("config", [name for name in names() if name != "meaning"])
def test_the_factors_of_every_configuration_multiply_to_the_score(client, config):
    params = {"q": "should zoos keep animals", "config": config, "explain": True}
    hits = client.get("/api/search", params=params).json()["hits"]
    assert hits
    for hit in hits:
        factors = hit["factors"]
        product = factors["relevance"] * factors["cluster"] * factors["quality"]
        scores = [node["value"] for node in nodes(hit["explanation"]) if node["symbol"] == "S"]
        assert product == pytest.approx(scores[-1])  # Eq. 1, before any stage
        if "premises" in factors:
            assert product * factors["premises"] == pytest.approx(hit["score"])
        assert ("premises" in factors) == bool(load_config(config).boost.premises)
        assert scores[0] == pytest.approx(hit["score"], rel=1e-12)
