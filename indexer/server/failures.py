"""What an Elasticsearch or OpenSearch server says of what went wrong, and whether it will pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BUSY = frozenset({429, 502, 503, 504})
"""The statuses of a server that has too much to do, or not all of its nodes."""
PASSING = frozenset(
    {
        "connect_transport_exception",
        "illegal_index_shard_state_exception",
        "no_shard_available_action_exception",
        "node_closed_exception",
        "node_disconnected_exception",
        "node_not_connected_exception",
        "receive_timeout_transport_exception",
        "search_context_missing_exception",
        "send_request_transport_exception",
    }
)
"""The servers' names for a node that has just gone: another one has a copy, so ask again."""
BLOCKED = "cluster_block_exception"
"""The servers' name for an index that may not be written to (on a full disk, with status 403 or
429), and for a cluster that is choosing its master (503)."""


@dataclass(frozen=True)
class Failure:
    """One error of a server, as its answer describes it."""

    kind: str = ""
    """The server's own name for it; empty where it has none."""
    reason: str = ""
    """The deepest reason that is given, in one line of at most 300 characters."""
    causes: frozenset[str] = frozenset()
    """The names of the error and of all that led to it."""

    def passes(self, status: int) -> bool:
        """Whether the same request may be answered when it is sent again."""
        busy = status in BUSY and (self.kind != BLOCKED or status == 503)
        return busy or not PASSING.isdisjoint(self.causes)


def failure(body: Any) -> Failure:
    """The error of an answer (`{"error": ...}`); an empty one where there is none.

    A search that loses a node between finding hits and fetching them has no failed shard and no
    root cause: the lost node is named by `caused_by` alone.
    """
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return Failure()
    roots = _objects(error.get("root_cause")) or [error]
    shards = _objects([one.get("reason") for one in _objects(error.get("failed_shards"))])
    deepest = _chain((shards or roots)[0])[-1]
    causes = [str(one.get("type")) for top in (error, *roots, *shards) for one in _chain(top)]
    kind = str(roots[0].get("type") or error.get("type") or "")
    reason = " ".join(str(deepest.get("reason") or error.get("reason") or "").split())[:300]
    return Failure(kind, reason, frozenset(causes))


def failed_parts(answer: Any) -> list[Failure]:
    """What failed of an answer that is there for the rest: shards, and documents asked for."""
    if not isinstance(answer, dict):
        return []
    shards = answer.get("_shards")
    failed = _objects(shards.get("failures")) if isinstance(shards, dict) else []
    reasons = [one.get("reason") for one in failed]
    reasons += [one["error"] for one in _objects(answer.get("docs")) if "error" in one]
    return [failure({"error": reason}) for reason in reasons]


def _objects(found: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is something else."""
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _chain(error: dict[str, Any]) -> list[dict[str, Any]]:
    """An error, its cause, that one's cause, and so on."""
    cause = error.get("caused_by")
    return [error, *(_chain(cause) if isinstance(cause, dict) else [])]
