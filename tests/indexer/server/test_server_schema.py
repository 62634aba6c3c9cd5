"""Documents, ids and centroids as a server holds them."""

from __future__ import annotations

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.server import schema


@given(st.text(min_size=1, max_size=600))
def test_a_key_is_one_that_servers_take(id: str) -> None:
    key = schema.document_key(id)
    assert 0 < len(key.encode()) <= schema.LONGEST_ID
    assert key == id or key.startswith("argsearch:sha256:")
    assert not key.startswith(schema.CENTROIDS_ROW)


@pytest.mark.parametrize("shape", [(0, 256), (3, 5), (300, 512), (1025, 256)])
def test_centroids_return_bit_for_bit(shape: tuple[int, int]) -> None:
    centroids = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    rows = list(schema.centroid_rows(centroids))
    assert len(rows) == schema.chunks(shape)
    parts = [orjson.loads(row.splitlines()[1])["document"]["data"] for row in rows]
    assert (schema.read_centroids(parts, shape) == centroids).all()


def test_centroids_of_another_shape_are_refused() -> None:
    rows = schema.centroid_rows(np.ones((2, 3), np.float32))
    parts = [orjson.loads(row.splitlines()[1])["document"]["data"] for row in rows]
    with pytest.raises(ValueError, match="reshape"):
        schema.read_centroids(parts, (2, 4))


def test_a_row_holds_text_properties_and_the_whole_document() -> None:
    argument = Argument(
        "a1", "Zoos.", (Premise("Cages.", Stance.CON),), {"sourceDomain": {"name": "debate.org"}}
    )
    columns = {"cluster": 7, "quality": 0.5, "stance": "CON", "source": "debate.org"}
    row, digest = schema.row(argument, columns)
    action, document = map(orjson.loads, row.splitlines())
    assert action == {"create": {"_id": "a1"}}
    assert document == {
        "id": "a1",
        "text": "Cages. Zoos.",
        "stance": "CON",
        "source": "debate.org",
        "cluster": 7,
        "quality": 0.5,
        "digest": schema.digest_text(digest),
        "document": argument.to_json(),
    }


@pytest.mark.parametrize("fields", [{"shards": 0}, {"shards": 2000}, {"replicas": -1}])
def test_a_bad_layout_names_its_range(fields: dict[str, int]) -> None:
    with pytest.raises(InvalidParameter, match="must be a whole number"):
        schema.Layout(**fields)
