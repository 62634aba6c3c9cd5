"""A connection to an Elasticsearch or OpenSearch server, through the official client.

The client refuses every server but its own generation's: it wants a header that older servers and
OpenSearch do not send, and it sends a media type that they do not know. `CompatibleNode` bridges
both, in plain JSON, which every server takes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argsearch.indexer.errors import ArgsearchError, MissingExtra
from argsearch.indexer.server.address import ServerAddress, mask

if TYPE_CHECKING:
    from elastic_transport import BaseNode
    from elasticsearch import Elasticsearch

ATTEMPTS = 6
FIRST_ATTEMPTS = 3
"""Attempts of the first request: a server that is not there is told soon."""
LONGEST_PAUSE = 10.0
_REMEDY = "set ARGSEARCH_ES_API_KEY, or ARGSEARCH_ES_USERNAME and ARGSEARCH_ES_PASSWORD"
BUSY = frozenset({429, 502, 503, 504})
"""The statuses of a server that has too much to do, or not all of its nodes."""
_STRANGE = "does not answer like Elasticsearch or OpenSearch; check host and port"
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


class ServerError(ArgsearchError):
    """A search server that did not do what it was asked."""


class ServerAbsent(ServerError):
    """Nothing answers at the address, or not in time."""


class ServerRefused(ServerError):
    """The server wants other credentials, or grants them too little."""


class ServerBusy(ServerError):
    """The server stayed overloaded or unavailable through every retry."""


class NotASearchServer(ServerError):
    """Something answers that is neither Elasticsearch nor OpenSearch."""


class RequestRejected(ServerError):
    """The server understood and said no; `kind` is its own name for why."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


def pause(attempt: int) -> float:
    """Seconds to wait before retry number `attempt` (from 0): doubling, capped, with jitter."""
    return min(LONGEST_PAUSE, 0.2 * 2.0**attempt) * random.uniform(0.5, 1.0)


@dataclass
class Server:
    """An open connection; safe to share between threads."""

    address: ServerAddress
    client: Elasticsearch
    attempts: int = ATTEMPTS
    retried: int = 0
    """How many requests had to be sent again."""

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, str] | None = None,
        missing: bool = False,
    ) -> Any:
        """The server's JSON answer; None for a 404 where `missing` allows it.

        429, 502, 503, 504, broken connections and lost nodes are tried again, with growing pauses;
        an answer that does not come in time is asked of another host, if there is one. So is an
        answer that lacks a part for a lost node; the last attempt's is returned with what it
        lacks. Raises ServerAbsent, ServerRefused, ServerBusy, NotASearchServer or RequestRejected.
        """
        from elastic_transport import ConnectionTimeout, TransportError
        from elasticsearch import ApiError

        for attempt in range(self.attempts):
            last = attempt == self.attempts - 1
            try:
                answer = self._send(method, path, body, params)
                if last or not any(part.passes(200) for part in failed_parts(answer)):
                    return answer
            except ApiError as error:
                status = error.meta.status
                if status == 404 and missing:
                    return None
                told = failure(error.body)
                if last or not told.passes(status):
                    raise self._rejected(status, told) from error
            except RecursionError as error:
                raise NotASearchServer(f"{self.address.server} {_STRANGE}") from error
            except TransportError as error:
                failed = self._failed(error)
                # a slow one is asked of another host alone
                again = attempt + 1 < len(self.address.hosts)
                again |= not isinstance(error, ConnectionTimeout)
                if last or not again or not isinstance(failed, ServerAbsent):
                    raise failed from error
            self.retried += 1
            time.sleep(pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    def _send(self, method: str, path: str, body: Any, params: Mapping[str, str] | None) -> Any:
        lines = isinstance(body, bytes)
        headers = {"accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/x-ndjson" if lines else "application/json"
        answer = self.client.perform_request(
            method, path, params=params, headers=headers, body=body
        ).body
        if not isinstance(answer, dict | list):
            raise NotASearchServer(f"{self.address.server} {_STRANGE}")
        return answer

    def _rejected(self, status: int, told: Failure) -> ServerError:
        server = self.address.server
        kind, reason = told.kind, told.reason
        if status == 401:
            return ServerRefused(f"{server} does not accept the credentials; {_REMEDY}")
        # A gateway before the server refuses without the server's words.
        if status == 403 and not kind:
            return ServerRefused(f"{server} forbids this; {_REMEDY} of a user who may")
        if kind == BLOCKED and "read-only" in reason:
            return RequestRejected(
                f"{self.address} is read-only ({reason}); free disk space on the server, then "
                "remove index.blocks.read_only_allow_delete",
                kind,
            )
        if status == 403:
            return ServerRefused(f"{server} forbids this ({reason}); {_REMEDY} of a user who may")
        if told.passes(status) or status in BUSY:
            return ServerBusy(
                f"{server} answered {status} to {self.attempts} attempts"
                f"{f' ({reason})' if reason else ''}; try again when it has less to do"
            )
        if not kind:
            return NotASearchServer(f"{server} {_STRANGE} (status {status})")
        return RequestRejected(f"{self.address}: status {status}, {kind}: {reason}", kind)

    def _failed(self, error: Exception) -> ServerError:
        from elastic_transport import ConnectionTimeout, SerializationError, TlsError

        server = self.address.server
        if isinstance(error, SerializationError):
            return NotASearchServer(f"{server} {_STRANGE}")
        if isinstance(error, ConnectionTimeout):
            seconds = self.address.credentials.timeout
            return ServerAbsent(
                f"{server} did not answer within {seconds:g} s; "
                "set ARGSEARCH_ES_TIMEOUT to wait longer"
            )
        why = mask(str(error.args[0]) if error.args else type(error).__name__)
        if isinstance(error, TlsError):
            return ServerRefused(
                f"{server}: the TLS certificate is not accepted ({_short(why)}); "
                "set ARGSEARCH_ES_CA_CERTS to the file of its authority"
            )
        return ServerAbsent(
            f"no search server answers at {server} ({_short(why)}); start it or check the address"
        )

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


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


def _short(text: str) -> str:
    return " ".join(text.rpartition(": ")[2].split())[:200]


def _bridge() -> type[BaseNode]:
    from elastic_transport import HttpHeaders, Urllib3HttpNode

    class CompatibleNode(Urllib3HttpNode):
        """Sends plain JSON media types, and adds the header that the client asks for."""

        def perform_request(self, *request: Any, **options: Any) -> Any:
            """As the client's own, in media types that every server knows."""
            options["headers"] = plain = HttpHeaders(options.get("headers") or {})
            for name in ("accept", "content-type"):
                value = plain.get(name) or ""
                if "compatible-with" in value:
                    lines = "ndjson" in value
                    plain[name] = "application/x-ndjson" if lines else "application/json"
            answer = super().perform_request(*request, **options)
            answer.meta.headers = HttpHeaders(
                {**answer.meta.headers, "x-elastic-product": "Elasticsearch"}
            )
            return answer

    return CompatibleNode


def _client(address: ServerAddress) -> Elasticsearch:
    from elasticsearch import Elasticsearch

    options: dict[str, Any] = {"node_class": _bridge()}
    credentials = address.credentials
    if address.scheme == "https":
        options |= {"verify_certs": credentials.verify, "ssl_show_warn": False}
        if credentials.ca_certs:
            options["ca_certs"] = credentials.ca_certs
    if credentials.api_key:
        options["api_key"] = credentials.api_key
    elif credentials.username:
        options["basic_auth"] = (credentials.username, credentials.password or "")
    place: dict[str, str | int] = {"scheme": address.scheme, "path_prefix": address.prefix}
    hosts = [{**place, "host": host, "port": port} for host, port in address.hosts]
    # The library's own retries are off, so that there is one place that pauses (decision 0017).
    return Elasticsearch(hosts, request_timeout=credentials.timeout, max_retries=0, **options)


def connect(address: ServerAddress, attempts: int = ATTEMPTS) -> Server:
    """Connect and ask the server what it is.

    Raises MissingExtra without the client's package, and `Server.request`'s errors.
    """
    try:
        import elasticsearch  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra("the client of Elasticsearch and OpenSearch", "elasticsearch") from error
    asking = Server(address, _client(address), FIRST_ATTEMPTS)
    try:
        int(asking.request("GET", "/")["version"]["number"].partition(".")[0])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        asking.close()
        raise NotASearchServer(f"{address.server} {_STRANGE}") from error
    except ServerError:
        asking.close()
        raise
    return Server(address, asking.client, attempts)
