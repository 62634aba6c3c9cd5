"""What is read of a search server's errors, whatever it sends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.server.client import BLOCKED, Failure, failed_parts, failure

LOST = {"type": "node_not_connected_exception", "reason": "[n]\n gone"}
WRONG = {"type": "parsing_exception", "reason": "unknown query"}
NAMES = "error root_cause caused_by failed_shards reason type _shards failures docs"
KEYS = st.sampled_from(NAMES.split())
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.just(LOST),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=30,
)


@given(JSON)
def test_no_answer_breaks_the_reading(body: object) -> None:
    told = failure(body)
    assert "\n" not in told.reason
    assert len(told.reason) <= 300
    for part in failed_parts(body):
        assert part.passes(200) == any("node_not_connected" in name for name in part.causes)


def test_the_names_and_the_deepest_reason() -> None:
    phase = {"type": "search_phase_execution_exception", "reason": "all shards failed"}
    shard = {"shard": 0, "reason": {"type": "query_shard_exception", "caused_by": WRONG}}
    told = failure({"error": phase | {"root_cause": [WRONG], "failed_shards": [shard]}})
    assert told.kind == "parsing_exception"
    assert told.reason == "unknown query"
    assert told.causes == {phase["type"], "parsing_exception", "query_shard_exception"}
    assert not told.passes(400)
    between = failure({"error": phase | {"root_cause": [], "failed_shards": [], "caused_by": LOST}})
    assert (between.kind, between.reason) == (phase["type"], "[n] gone")
    assert between.passes(500)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_passes(status: int) -> None:
    assert Failure().passes(status)
    assert failure({"error": WRONG}).passes(status)
    assert not failure({"error": WRONG}).passes(400)


def test_a_choice_of_master_passes_and_a_full_disk_does_not() -> None:
    blocked = failure({"error": {"type": BLOCKED, "reason": "blocked by"}})
    assert [status for status in (403, 429, 503) if blocked.passes(status)] == [503]


def test_the_parts_that_failed() -> None:
    shards = {"failed": 2, "failures": [{"reason": LOST}, {"reason": WRONG}]}
    assert [part.passes(200) for part in failed_parts({"_shards": shards})] == [True, False]
    documents = [{"_id": "1", "found": False}, {"_id": "2", "error": LOST}]
    assert [part.reason for part in failed_parts({"docs": documents})] == ["[n] gone"]
    assert failed_parts({"_shards": {"failed": 0}, "hits": {}}) == []
    assert failed_parts([LOST]) == []
