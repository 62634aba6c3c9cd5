"""Which generation a name stands for, what it is, and the removal of those that nobody names.

These a build that was killed leaves on a server. A generation says which process writes it. Whether
that process has ended is known for certain only on its own machine; what another machine's left is
told, and left alone.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.manifest import (
    IndexDamaged,
    IndexFormatUnsupported,
    IndexMissing,
    fingerprint,
)
from argsearch.indexer.server.client import Server, ServerError
from argsearch.indexer.server.schema import (
    CENTROIDS_ROW,
    HITS_AT_ONCE,
    META,
    SERVER_FORMAT,
    SPELLINGS,
    chunks,
    read_centroids,
)

_HERE = Path("/proc")
written_here: set[str] = set()
"""The generations that this very process writes."""


class IndexForeign(ServerError):
    """The name belongs to something that this software did not write."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A complete index on a server."""

    index: str
    """The name of the generation itself."""
    mu: float
    """The Dirichlet prior that its scores are computed with."""
    shards: int
    replicas: int | None
    """As `Layout` has them."""
    manifest: dict[str, Any]
    centroids: NDArray[np.float32]
    parts: frozenset[str] = frozenset()
    """The optional parts that lie on the server."""
    beside: str = ""
    """The index directory that holds more parts; empty for none."""
    digest: str = ""
    """The sum of its documents' digests; empty where an earlier version wrote it (the metadata's
    `digest` was of documents whose keys were not sorted)."""
    is_changed: bool = False
    """Whether documents were added or removed since it was loaded: the server's statistics count
    removed ones until it merges their segments."""
    unifies_spellings: bool = False
    """True if it has the analyzer `schema.SPELLINGS`, which earlier versions did not write."""


def read_meta(server: Server, index: str) -> dict[str, Any] | None:
    """What `_meta` says of a generation; None for an index of someone else."""
    answer = server.request("GET", f"/{index}/_mapping")
    mappings = answer.get(index, {}).get("mappings", {})
    meta = mappings.get("_meta", {}).get(META)
    return meta if isinstance(meta, dict) else None


def behind(server: Server) -> list[str]:
    """The indices that the address's name stands for, the name itself where it is an index."""
    return sorted(_names(server))


def current(server: Server) -> tuple[str, str] | None:
    """The generation that the name stands for and its fingerprint, which a change moves.

    None where it stands for none of this software's, or for several.
    """
    found = behind(server)
    meta = read_meta(server, found[0]) if len(found) == 1 else None
    return (found[0], str(meta["manifest"]["fingerprint"])) if meta else None


def _names(server: Server) -> dict[str, set[str]]:
    """Return all names of each index that the address's name stands for."""
    answer = server.request("GET", f"/{server.address.name}/_alias", missing=True) or {}
    return {index: set(about.get("aliases", {})) for index, about in answer.items()}


def generations_of(server: Server) -> list[str]:
    """The generations that a new one replaces: those that the name stands for.

    Raises IndexForeign when the name stands for anything that this software did not write, and when
    a generation has another name as well, which somebody may still need.
    """
    found = _names(server)
    for index, names in found.items():
        if index == server.address.name or read_meta(server, index) is None:
            raise IndexForeign(
                f"{server.address} exists and is not an index of this software; it is left alone, "
                "choose another name"
            )
        if others := names - {server.address.name}:
            raise IndexForeign(
                f"{server.address} is left alone: another name, {', '.join(sorted(others))}, "
                "stands for the same index; choose another name"
            )
    return sorted(found)


def open_generation(server: Server) -> Generation:
    """The generation that the address's name stands for.

    Raises IndexMissing, IndexForeign, IndexDamaged or IndexFormatUnsupported.
    """
    address, found = server.address, behind(server)
    remedy = f"build it with: argsearch index CORPUS --out {address}"
    if not found:
        raise IndexMissing(f"index {address} does not exist; {remedy}")
    meta = read_meta(server, found[0])
    if len(found) > 1 or meta is None:
        raise IndexForeign(
            f"{address} is not an index of this software (or stands for several); name one that "
            "argsearch index wrote"
        )
    if isinstance(meta.get("format"), int) and meta["format"] > SERVER_FORMAT:
        raise IndexFormatUnsupported(
            f"index {address} has format {meta['format']}, this software reads format "
            f"{SERVER_FORMAT}; upgrade argsearch or re{remedy}"
        )
    if meta.get("format") != SERVER_FORMAT or meta.get("complete") is not True:
        raise IndexDamaged(f"index {address} is not complete; re{remedy}")
    try:
        return _read(server, found[0], meta)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise IndexDamaged(
            f"index {address}: its metadata is damaged ({error}); re{remedy}"
        ) from error


def _read(server: Server, index: str, meta: dict[str, Any]) -> Generation:
    clusters, dimensions = (int(size) for size in meta["centroids"])
    shape = clusters, dimensions
    row = f"/{index}/_doc/{CENTROIDS_ROW.replace(':', '%3A')}"
    answers = [server.request("GET", f"{row}{i}", missing=True) for i in range(chunks(shape))]
    if None in answers:
        raise ValueError("its centroids are not there")
    data = [answer["_source"]["document"]["data"] for answer in answers]
    settings = server.request("GET", f"/{index}/_settings")[index]["settings"]["index"]
    expands = settings.get("auto_expand_replicas", "false") != "false"
    if settings["similarity"]["default"]["type"] != "LMDirichlet":
        raise ValueError("its similarity is not LMDirichlet")
    manifest = dict(meta["manifest"])
    if fingerprint(manifest) != manifest["fingerprint"]:
        raise ValueError("it does not match its own fingerprint")
    return Generation(
        index=index,
        mu=float(settings["similarity"]["default"]["mu"]),
        shards=int(settings["number_of_shards"]),
        replicas=None if expands else int(settings["number_of_replicas"]),
        manifest=manifest,
        centroids=read_centroids(data, shape),
        parts=frozenset(meta.get("parts", ())),
        beside=str(meta.get("beside", "")),
        digest=str(meta.get("digests", "")),
        is_changed=bool(meta.get("changed")),
        unifies_spellings=SPELLINGS in settings.get("analysis", {}).get("analyzer", {}),
    )


def every_id(ask: Callable[[dict[str, Any]], Any], query: dict[str, Any]) -> list[str]:
    """The ids of all documents that match, ascending; ask: gives the answer of one search."""
    return [hit["sort"][0] for hit in every_hit(ask, query)]


def every_hit(
    ask: Callable[[dict[str, Any]], Any], query: dict[str, Any], source: list[str] | bool = False
) -> Iterator[dict[str, Any]]:
    """All documents that match, by ascending ids; source: the fields that are read."""
    body = {"query": query, "size": HITS_AT_ONCE, "sort": [{"id": "asc"}], "_source": source}
    while True:
        hits = ask(body)["hits"]["hits"]
        yield from hits
        if len(hits) < HITS_AT_ONCE:
            return
        body["search_after"] = hits[-1]["sort"]


def changed_meanwhile(server: Server) -> IndexForeign:
    """The error of a change that meets another state of the index than it was made for."""
    return IndexForeign(
        f"{server.address} was changed by someone else meanwhile; run the same command again"
    )


def owner() -> dict[str, Any]:
    """What tells this process from any other, on this machine and others."""
    return {"host": socket.gethostname(), "pid": os.getpid(), **_seen(os.getpid())}


def _seen(pid: int) -> dict[str, str]:
    """A process' start, the machine's, and the numbering of processes that it is seen in."""
    try:
        state, *fields = (_HERE / str(pid) / "stat").read_text().rpartition(")")[2].split()
        if state in "ZX":
            # A zombie: it has ended, and its parent has not looked.
            return {}
        boot = (_HERE / "sys/kernel/random/boot_id").read_text().strip()
        numbering = str((_HERE / "self/ns/pid").readlink())
        return {"started": fields[18], "boot": boot, "numbering": numbering}
    except OSError:
        return {}


def ended(of: object) -> bool | None:
    """Whether the process that `owner` described has ended; None where that cannot be known."""
    here = _seen(os.getpid())
    if not isinstance(of, Mapping) or type(of.get("pid")) is not int or not here:
        return None
    # Processes of another machine cannot be seen from here.
    if of.get("host") != socket.gethostname():
        return None
    if of.get("boot") != here["boot"]:
        return True  # the machine was started anew
    if of.get("numbering") != here["numbering"]:
        return None
    return _seen(of["pid"]).get("started") != of.get("started")


def is_left(index: str, of: object) -> bool | None:
    """Whether the process that `owner` described writes an index no more; None where unknown."""
    # This one may have failed, with the server away, and be a service that tries again.
    return index not in written_here if of == owner() else ended(of)


def _unnamed(server: Server) -> list[tuple[str, dict[str, Any]]]:
    """The generations of the address's name that nobody names, and their metadata."""
    name, found = server.address.name, []
    # Other indices may begin with the name, too, such as one that somebody calls NAME-old.
    own = re.compile(re.escape(name) + "-[0-9a-f]{8}-[0-9a-f]{8}")
    aliases = server.request("GET", f"/{name}-*/_alias", missing=True) or {}
    mappings = server.request("GET", f"/{name}-*/_mapping", missing=True) or {}
    for index in sorted(mappings):
        meta = mappings[index].get("mappings", {}).get("_meta", {}).get(META)
        named = aliases.get(index, {"aliases": {"unseen": {}}})["aliases"]
        if not named and own.fullmatch(index) and isinstance(meta, dict):
            found.append((index, meta))
    return found


def clean(server: Server) -> tuple[list[str], list[str]]:
    """Remove the generations of the address's name that nobody names and whose build has ended.

    Returns these, and in words those of a build that runs or cannot be seen from here.
    """
    removed, left = [], []
    for index, meta in _unnamed(server):
        of = meta.get("owner")
        if state := is_left(index, of):
            server.request("DELETE", f"/{index}", missing=True)
            removed.append(index)
        else:
            by = f"process {of['pid']} of {of['host']}" if isinstance(of, Mapping) else "unknown"
            runs = "which runs" if state is False else "which cannot be seen from here"
            left.append(f"{index}, written by {by}, {runs}")
    return removed, left
