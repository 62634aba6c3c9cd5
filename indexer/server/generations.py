"""Which generation a name stands for, and what it is."""

from __future__ import annotations

from dataclasses import dataclass
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
    META,
    SERVER_FORMAT,
    chunks,
    read_centroids,
)


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
    manifest: dict[str, Any]
    centroids: NDArray[np.float32]


def read_meta(server: Server, index: str) -> dict[str, Any] | None:
    """What `_meta` says of a generation; None for an index of someone else."""
    answer = server.request("GET", f"/{index}/_mapping")
    mappings = answer.get(index, {}).get("mappings", {})
    meta = mappings.get("_meta", {}).get(META)
    return meta if isinstance(meta, dict) else None


def behind(server: Server) -> list[str]:
    """The indices that the address's name stands for, the name itself where it is an index."""
    answer = server.request("GET", f"/{server.address.name}/_alias", missing=True)
    return sorted(answer or {})


def generations_of(server: Server) -> list[str]:
    """The generations that a new one replaces: those that the name stands for.

    Raises IndexForeign when the name stands for anything that this software did not write.
    """
    found = behind(server)
    for index in found:
        if index == server.address.name or read_meta(server, index) is None:
            raise IndexForeign(
                f"{server.address} exists and is not an index of this software; it is left alone, "
                "choose another name"
            )
    return found


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
    count = chunks((clusters, dimensions))
    ids = [f"{CENTROIDS_ROW}{part}" for part in range(count)]
    parts: list[str] = []
    for id in ids:
        answer = server.request("GET", f"/{index}/_doc/{id.replace(':', '%3A')}")
        parts.append(answer["_source"]["document"]["data"])
    settings = server.request("GET", f"/{index}/_settings")[index]["settings"]["index"]
    if settings["similarity"]["default"]["type"] != "LMDirichlet":
        raise ValueError("its similarity is not LMDirichlet")
    manifest = dict(meta["manifest"])
    if fingerprint(manifest) != manifest["fingerprint"]:
        raise ValueError("it does not match its own fingerprint")
    return Generation(
        index=index,
        mu=float(settings["similarity"]["default"]["mu"]),
        shards=int(settings["number_of_shards"]),
        manifest=manifest,
        centroids=read_centroids(parts, (clusters, dimensions)),
    )
