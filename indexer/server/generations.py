"""Generations of an index on a server: finding the current one and removing unnamed ones.

A killed build leaves an unnamed generation on the server. Each generation records the process that
writes it. Only the machine of that process can tell for certain whether the process has ended.
Generations from other machines are reported and left alone.
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
"""Names of the generations that this process is writing."""


class IndexForeign(ServerError):
    """The name belongs to an index that this software did not write."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A complete index on a server."""

    index: str
    """Name of the generation itself."""
    mu: float
    """Dirichlet prior μ of its scores."""
    shards: int
    replicas: int | None
    """Copies of each shard, as in `Layout`."""
    manifest: dict[str, Any]
    centroids: NDArray[np.float32]
    parts: frozenset[str] = frozenset()
    """Names of the optional parts on the server."""
    beside: str = ""
    """Index directory with additional parts; empty if there is none."""
    digest: str = ""
    """Sum of the documents' digests, or empty if an earlier version wrote the generation."""
    is_changed: bool = False
    """True if documents changed after loading; statistics may still count removed documents."""
    unifies_spellings: bool = False
    """True if the index has the analyzer `schema.SPELLINGS`, which older indexes lack."""


def read_meta(server: Server, index: str) -> dict[str, Any] | None:
    """Return a generation's metadata in `_meta`; None if another program wrote the index."""
    answer = server.request("GET", f"/{index}/_mapping")
    mappings = answer.get(index, {}).get("mappings", {})
    meta = mappings.get("_meta", {}).get(META)
    return meta if isinstance(meta, dict) else None


def behind(server: Server) -> list[str]:
    """Return the indexes that the address's name points to; the name itself if it is an index."""
    return sorted(_names(server))


def current(server: Server) -> tuple[str, str] | None:
    """Return the generation that the name points to, and its fingerprint, which changes with it.

    Returns None if the name points to no index of this software, or to several indexes.
    """
    found = behind(server)
    meta = read_meta(server, found[0]) if len(found) == 1 else None
    return (found[0], str(meta["manifest"]["fingerprint"])) if meta else None


def _names(server: Server) -> dict[str, set[str]]:
    """Return all names of each index that the address's name points to."""
    answer = server.request("GET", f"/{server.address.name}/_alias", missing=True) or {}
    return {index: set(about.get("aliases", {})) for index, about in answer.items()}


def generations_of(server: Server) -> list[str]:
    """Return the generations that the name points to, which a new generation will replace.

    Raises IndexForeign if the name points to an index that this software did not write, or if a
    generation also has another name, because somebody may still need it.
    """
    found = _names(server)
    for index, names in found.items():
        if index == server.address.name or read_meta(server, index) is None:
            raise IndexForeign(
                f"{server.address} exists but is not an argsearch index, so it was left unchanged; "
                "choose another name"
            )
        if others := names - {server.address.name}:
            raise IndexForeign(
                f"{server.address} was left unchanged: another name, {', '.join(sorted(others))}, "
                "points to the same index; choose another name"
            )
    return sorted(found)


def open_generation(server: Server) -> Generation:
    """Return the generation that the address's name points to.

    Raises IndexMissing, IndexForeign, IndexDamaged or IndexFormatUnsupported.
    """
    address, found = server.address, behind(server)
    remedy = f"build it with: argsearch index CORPUS --out {address}"
    if not found:
        raise IndexMissing(f"index {address} does not exist; {remedy}")
    meta = read_meta(server, found[0])
    if len(found) > 1 or meta is None:
        raise IndexForeign(
            f"{address} is not an argsearch index (or refers to several); name one that "
            "argsearch index wrote"
        )
    if isinstance(meta.get("format"), int) and meta["format"] > SERVER_FORMAT:
        raise IndexFormatUnsupported(
            f"index {address} has format {meta['format']}, but this software reads format "
            f"{SERVER_FORMAT}; upgrade argsearch or re{remedy}"
        )
    if meta.get("format") != SERVER_FORMAT or meta.get("complete") is not True:
        raise IndexDamaged(f"index {address} is not complete; re{remedy}")
    try:
        return _read(server, found[0], meta)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise IndexDamaged(f"index {address}: metadata is damaged ({error}); re{remedy}") from error


def _read(server: Server, index: str, meta: dict[str, Any]) -> Generation:
    clusters, dimensions = (int(size) for size in meta["centroids"])
    shape = clusters, dimensions
    row = f"/{index}/_doc/{CENTROIDS_ROW.replace(':', '%3A')}"
    answers = [server.request("GET", f"{row}{i}", missing=True) for i in range(chunks(shape))]
    if None in answers:
        raise ValueError("its centroids are missing")
    data = [answer["_source"]["document"]["data"] for answer in answers]
    settings = server.request("GET", f"/{index}/_settings")[index]["settings"]["index"]
    expands = settings.get("auto_expand_replicas", "false") != "false"
    if settings["similarity"]["default"]["type"] != "LMDirichlet":
        raise ValueError("its similarity must be LMDirichlet")
    manifest = dict(meta["manifest"])
    if fingerprint(manifest) != manifest["fingerprint"]:
        raise ValueError("it does not match its fingerprint")
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
    """Return the sorted ids of all matching documents; `ask` returns the answer to a search."""
    return [hit["sort"][0] for hit in every_hit(ask, query)]


def every_hit(
    ask: Callable[[dict[str, Any]], Any], query: dict[str, Any], source: list[str] | bool = False
) -> Iterator[dict[str, Any]]:
    """Yield all matching documents by ascending id; `source` names the fields to read."""
    body = {"query": query, "size": HITS_AT_ONCE, "sort": [{"id": "asc"}], "_source": source}
    while True:
        hits = ask(body)["hits"]["hits"]
        yield from hits
        if len(hits) < HITS_AT_ONCE:
            return
        body["search_after"] = hits[-1]["sort"]


def changed_meanwhile(server: Server) -> IndexForeign:
    """Return the error for a change to an index that someone else changed in the meantime."""
    return IndexForeign(
        f"{server.address} was changed by someone else in the meantime; run the same command again"
    )


def owner() -> dict[str, Any]:
    """Return facts that identify this process on this machine, and this machine among all."""
    return {"host": socket.gethostname(), "pid": os.getpid(), **_seen(os.getpid())}


def _seen(pid: int) -> dict[str, str]:
    """Return a process's start time, the machine's boot id and the process namespace."""
    try:
        state, *fields = (_HERE / str(pid) / "stat").read_text().rpartition(")")[2].split()
        if state in "ZX":
            # A zombie: the process has ended, but its parent has not collected it.
            return {}
        boot = (_HERE / "sys/kernel/random/boot_id").read_text().strip()
        numbering = str((_HERE / "self/ns/pid").readlink())
        return {"started": fields[18], "boot": boot, "numbering": numbering}
    except OSError:
        return {}


def ended(of: object) -> bool | None:
    """Return True if the process that `owner` described has ended; None if that is unknown."""
    here = _seen(os.getpid())
    if not isinstance(of, Mapping) or type(of.get("pid")) is not int or not here:
        return None
    # Processes on another machine cannot be seen.
    if of.get("host") != socket.gethostname():
        return None
    if of.get("boot") != here["boot"]:
        return True  # the machine was restarted
    if of.get("numbering") != here["numbering"]:
        return None
    return _seen(of["pid"]).get("started") != of.get("started")


def is_left(index: str, of: object) -> bool | None:
    """Return True if the described process no longer writes an index; None if that is unknown."""
    # This process may be a service that lost the server, failed, and now tries again.
    return index not in written_here if of == owner() else ended(of)


def _unnamed(server: Server) -> list[tuple[str, dict[str, Any]]]:
    """Return the address's generations that have no alias, with their metadata."""
    name, found = server.address.name, []
    # Names of other indexes may begin with this name too, such as someone's NAME-old.
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
    """Remove generations of the address's name that have no alias and whose build has ended.

    Returns the removed names, and descriptions of generations whose build is running or unknown.
    """
    removed, left = [], []
    for index, meta in _unnamed(server):
        of = meta.get("owner")
        if state := is_left(index, of):
            server.request("DELETE", f"/{index}", missing=True)
            removed.append(index)
        else:
            by = f"process {of['pid']} of {of['host']}" if isinstance(of, Mapping) else "unknown"
            runs = "which runs" if state is False else "which may still be running elsewhere"
            left.append(f"{index}, written by {by}, {runs}")
    return removed, left
