"""A connection to an Elasticsearch or OpenSearch server, through the official client.

The client only accepts servers of the same major version. Older servers and OpenSearch lack a
header that the client expects, and do not know its media type. `CompatibleNode` adds the header and
sends plain JSON, which every server accepts.
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
"""Number of attempts for the first request; few, so that a missing server is reported soon."""
LONGEST_PAUSE = 10.0
_REMEDY = "set ARGSEARCH_ES_API_KEY, or ARGSEARCH_ES_USERNAME and ARGSEARCH_ES_PASSWORD"
BUSY = frozenset({429, 502, 503, 504})
"""Status codes of a server that is overloaded or lacks some of its nodes."""
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
"""Error types for a node that has just left; another has a copy, so the request is sent again."""
BLOCKED = "cluster_block_exception"
"""Error type for a read-only index (status 403 or 429) or a cluster without a master (503)."""


class ServerError(ArgsearchError):
    """A search server did not carry out a request."""


class ServerAbsent(ServerError):
    """No server answers at the address, or its answer comes too late."""


class ServerRefused(ServerError):
    """The server requires other credentials or more rights."""


class ServerBusy(ServerError):
    """The server stayed overloaded or unavailable through every retry."""


class NotASearchServer(ServerError):
    """The server at the address is neither Elasticsearch nor OpenSearch."""


class RequestRejected(ServerError):
    """The server rejected a request; `kind` is the server's own error type."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


def pause(attempt: int) -> float:
    """Return the seconds to wait before retry `attempt` (from 0): doubling, capped, with jitter."""
    return min(LONGEST_PAUSE, 0.2 * 2.0**attempt) * random.uniform(0.5, 1.0)


@dataclass
class Server:
    """An open connection; safe to share between threads."""

    address: ServerAddress
    client: Elasticsearch
    attempts: int = ATTEMPTS
    retried: int = 0
    """Number of requests that had to be sent again."""

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, str] | None = None,
        missing: bool = False,
    ) -> Any:
        """Return the server's JSON answer; None for status 404 if `missing` is true.

        Retries after status 429, 502, 503 or 504, a broken connection or a lost node, with growing
        pauses. Retries after a timeout only on another host. Also retries if part of an answer is
        missing because a node was lost; the last attempt's answer is returned as it is. Raises
        ServerAbsent, ServerRefused, ServerBusy, NotASearchServer or RequestRejected.
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
                # A slow request is retried only on another host.
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
        # A gateway before the server rejects requests without the server's error type.
        if status == 403 and not kind:
            return ServerRefused(f"{server} forbids this; {_REMEDY} of another user")
        if kind == BLOCKED and "read-only" in reason:
            return RequestRejected(
                f"{self.address} is read-only ({reason}); free disk space on the server, then "
                "remove index.blocks.read_only_allow_delete",
                kind,
            )
        if status == 403:
            return ServerRefused(f"{server} forbids this ({reason}); {_REMEDY} of another user")
        if told.passes(status) or status in BUSY:
            return ServerBusy(
                f"{server} answered {status} to {self.attempts} attempts"
                f"{f' ({reason})' if reason else ''}; try again when it is less busy"
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
                f"{server}: the TLS certificate was rejected ({_short(why)}); set "
                "ARGSEARCH_ES_CA_CERTS to the certificate file of the CA that issued it"
            )
        return ServerAbsent(
            f"no search server answers at {server} ({_short(why)}); start it or check the address"
        )

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


@dataclass(frozen=True)
class Failure:
    """An error as a server describes it in its answer."""

    kind: str = ""
    """The server's own error type, or empty."""
    reason: str = ""
    """The most specific reason, on one line of at most 300 characters."""
    causes: frozenset[str] = frozenset()
    """Types of the error and of all its causes."""

    def passes(self, status: int) -> bool:
        """Return True if the same request may succeed when it is sent again."""
        busy = status in BUSY and (self.kind != BLOCKED or status == 503)
        return busy or not PASSING.isdisjoint(self.causes)


def failure(body: Any) -> Failure:
    """Return the error in an answer (`{"error": ...}`), or an empty `Failure` if there is none.

    If a search loses a node between finding and fetching hits, the answer has no failed shard and
    no root cause. Only `caused_by` names the lost node.
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
    """Return the failed parts of an otherwise valid answer: shards and documents."""
    if not isinstance(answer, dict):
        return []
    shards = answer.get("_shards")
    failed = _objects(shards.get("failures")) if isinstance(shards, dict) else []
    reasons = [one.get("reason") for one in failed]
    reasons += [one["error"] for one in _objects(answer.get("docs")) if "error" in one]
    return [failure({"error": reason}) for reason in reasons]


def _objects(found: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; an empty list for any other value."""
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _chain(error: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an error, its cause, the cause of that cause, and so on."""
    cause = error.get("caused_by")
    return [error, *(_chain(cause) if isinstance(cause, dict) else [])]


def _short(text: str) -> str:
    return " ".join(text.rpartition(": ")[2].split())[:200]


def _bridge() -> type[BaseNode]:
    from elastic_transport import HttpHeaders, Urllib3HttpNode

    class CompatibleNode(Urllib3HttpNode):
        """A node that sends plain JSON media types and adds the header that the client expects."""

        def perform_request(self, *request: Any, **options: Any) -> Any:
            """Perform a request as the client's node does, but with media types servers know."""
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
    # The library's own retries are off, because `request` retries and pauses (decision 0017).
    return Elasticsearch(hosts, request_timeout=credentials.timeout, max_retries=0, **options)


def connect(address: ServerAddress, attempts: int = ATTEMPTS) -> Server:
    """Connect, and check that the server is a search server.

    Raises MissingExtra without the client's package, and the same errors as `Server.request`.
    """
    try:
        import elasticsearch  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra("the Elasticsearch and OpenSearch client", "elasticsearch") from error
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
