"""The map of an index, over HTTP."""

from __future__ import annotations

import math

import numpy as np
import pytest

from argsearch.api.http.overview import MapModel

SERVED = "sample_index"


def test_every_cluster_has_a_place_of_its_own(client, engine):
    answer = client.get("/api/map").json()
    MapModel.model_validate(answer)
    clusters = answer["clusters"]
    codes = np.asarray(engine.backend.arrays.clusters)
    codes = codes[codes < len(engine.backend.centroids)]  # without those in no cluster
    numbers = {one["cluster"]: one["arguments"] for one in clusters}
    assert numbers == {int(c): int((codes == c).sum()) for c in np.unique(codes)}
    for a in clusters:
        assert a["arguments"] / a["r"] ** 2 == pytest.approx(
            clusters[0]["arguments"] / clusters[0]["r"] ** 2, rel=1e-2
        )
        for b in clusters:
            apart = math.dist((a["x"], a["y"]), (b["x"], b["y"]))
            assert a is b or apart > 0.99 * (a["r"] + b["r"])
    assert all(1 <= len(one["conclusions"]) <= 3 for one in clusters)
    assert all(len(one["words"]) <= 3 for one in clusters)
    assert "similarity" not in clusters[0]


def test_a_question_is_near_its_clusters(client, engine):
    clusters = client.get("/api/map", params={"q": "should zoos be abolished"}).json()["clusters"]
    best = max(clusters, key=lambda one: one["similarity"])
    assert "zoos" in " ".join(best["conclusions"]).lower()
    assert "zoos" in best["words"]
    hit = engine.search("should zoos be abolished", k=1).hits[0]
    explained = hit.explanation.find("C").value
    code = int(engine.backend.arrays.clusters[engine.backend.ids.find(hit.id)])
    found = next(one["similarity"] for one in clusters if one["cluster"] == code)
    assert found == pytest.approx(explained, abs=1e-3)


def test_what_has_no_map_says_so(client, monkeypatch):
    assert client.get("/ready").json()["map"] is True
    monkeypatch.setitem(vars(client.app.state.engine.known), "clusters", ())
    answer = client.get("/api/map")
    assert answer.status_code == 409
    assert "map" in answer.json()["detail"]
