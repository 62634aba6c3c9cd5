"""The layout of an index on a search server: settings, mapping, documents, metadata.

A name is an alias for one generation, which is an index of its own. The mapping's `_meta` describes
the generation; its centroids are stored as documents.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column

SERVER_FORMAT = 2
"""Format version of the server indexes that this software reads and writes."""
META = "argsearch"
"""Key of `_meta` that marks a generation as this software's."""
RESERVED = "argsearch:"
LONGEST_ID = 512
"""Maximum length of `_id` on the servers, in bytes."""
CENTROIDS_ROW = f"{RESERVED}centroids:"
CHANGE_ROW = f"{RESERVED}change"
"""The document that exists while the index is being changed."""
CHUNK = 1 << 20
"""Number of bytes of centroids per document."""
DIGEST_BITS = 128
SPELLINGS = "spellings"
"""Analyzer for queries with several spellings of a word. It splits at spaces and puts all spellings
at one position, so that they count as one term."""
HITS_AT_ONCE = 10_000
"""Maximum number of hits, or of count buckets, per response (index.max_result_window)."""
GROUP = "near_duplicates"
"""Name of the part and of the field for a document's group of near-duplicates, if any."""
BESIDE = ("counter", "pairs", "premises")
"""Parts that an index on a server can keep in an index directory beside it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The distribution of an index over a server's nodes, and its Dirichlet prior."""

    shards: int = 1
    replicas: int | None = None
    """Number of replicas per shard; None: one on two or more nodes, none on a single node."""
    mu: float = 2000.0

    def __post_init__(self) -> None:
        if not 1 <= self.shards <= 1024:
            raise InvalidParameter("shards", self.shards, "a whole number from 1 to 1024")
        if self.replicas is not None and not 0 <= self.replicas <= 10:
            raise InvalidParameter("replicas", self.replicas, "a whole number from 0 to 10")


def settings(layout: Layout) -> dict[str, Any]:
    """Return the settings of a generation that is being written."""
    replicas: dict[str, Any] = {"auto_expand_replicas": "0-1"}
    if layout.replicas is not None:
        replicas = {"number_of_replicas": layout.replicas}
    return {
        "index": {
            "number_of_shards": layout.shards,
            **replicas,
            # Nobody searches it before it is complete, and each refresh would create a segment.
            "refresh_interval": "-1",
            "similarity": {"default": {"type": "LMDirichlet", "mu": layout.mu}},
            "analysis": {
                "analyzer": {
                    "default": {"type": "standard", "stopwords": "_none_"},
                    SPELLINGS: {"type": "custom", "tokenizer": "keyword", "filter": [SPELLINGS]},
                },
                "filter": {
                    SPELLINGS: {
                        "type": "pattern_capture",
                        "patterns": ["([^ ]+)"],
                        "preserve_original": False,
                    }
                },
            },
        }
    }


def _field(column: Column) -> dict[str, Any]:
    """Return the mapping of a column on a server: labels are keywords, numbers are doc values."""
    if column.kind == "category":
        return {"type": "keyword", "ignore_above": 1000}
    whole = np.issubdtype(np.dtype(column.dtype), np.integer)
    return {"type": "integer" if whole else "float"}


def mapping(meta: Mapping[str, Any], columns: Iterable[Column]) -> dict[str, Any]:
    """Return the mapping of a generation, with its metadata."""
    return {
        # A field that no column describes is a mistake and must not be added.
        "dynamic": "strict",
        "_meta": {META: dict(meta)},
        # The document beside it contains all words of the text.
        "_source": {"excludes": ["text"]},
        "properties": {
            "id": {"type": "keyword"},
            "text": {"type": "text", "index_options": "freqs"},
            **{column.name: _field(column) for column in columns},
            GROUP: {"type": "integer"},
            "digest": {"type": "keyword", "index": False, "doc_values": False},
            "document": {"type": "object", "enabled": False},
        },
    }


def document_key(id: str) -> str:
    """Return the `_id` of an argument: its own id if the server accepts it, else a digest."""
    if id and not id.startswith((RESERVED, "_")) and len(id.encode()) <= LONGEST_ID:
        return id
    return f"{RESERVED}sha256:{hashlib.sha256(id.encode()).hexdigest()}"


def digest_text(digest: int) -> str:
    """Return a digest, or a sum of digests modulo 2^128, in hexadecimal.

    The sum is the same for the same documents, whatever their order.
    """
    return f"{digest % (1 << DIGEST_BITS):0{DIGEST_BITS // 4}x}"


def digest_of(argument: Argument, cluster: int) -> int:
    """Return a digest of a document and its cluster, as a number of 128 bits.

    Keys are sorted, because a server may return a copied document with its keys in another order.
    """
    line = orjson.dumps(argument.to_json(), option=orjson.OPT_SORT_KEYS)
    data = line + b"\n" + str(cluster).encode()
    return int.from_bytes(hashlib.sha256(data).digest()[: DIGEST_BITS // 8], "big")


def row(
    argument: Argument, columns: Mapping[str, float | str | None], action: str = "create"
) -> tuple[bytes, int]:
    """Return a document's two lines for a bulk request, and its digest.

    `columns` has the document's value, or None, in each column, including `cluster`. `action` is
    `create`, or `index` to replace a document.
    """
    digest = digest_of(argument, int(columns["cluster"] or 0))
    said = {"id": argument.id, "text": argument.text, "document": argument.to_json()}
    whole = {**said, **columns, "digest": digest_text(digest)}
    return _lines(document_key(argument.id), whole, action), digest


def deletion(id: str) -> bytes:
    """Return the line of a bulk request that removes an argument."""
    return orjson.dumps({"delete": {"_id": document_key(id)}}) + b"\n"


def shared(groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return each document's group of near-duplicates, int32[n]; -1 if it has no duplicates."""
    return np.where(np.bincount(groups, minlength=len(groups))[groups] > 1, groups, np.int32(-1))


def grouped(group: np.int32) -> dict[str, int]:
    """Return a document's group field; empty for -1, a document without duplicates."""
    return {GROUP: int(group)} if group >= 0 else {}


def _lines(key: str, document: Mapping[str, Any], action: str = "create") -> bytes:
    return orjson.dumps({action: {"_id": key}}) + b"\n" + orjson.dumps(document) + b"\n"


def centroid_rows(centroids: NDArray[np.float32]) -> Iterator[bytes]:
    """Yield the centroids as documents, float32 little-endian in base64, CHUNK bytes each."""
    data = np.ascontiguousarray(centroids, "<f4").tobytes()
    for part in range(chunks(centroids.shape)):
        encoded = base64.b64encode(data[part * CHUNK : (part + 1) * CHUNK]).decode()
        yield _lines(f"{CENTROIDS_ROW}{part}", {"document": {"data": encoded}})


def chunks(shape: tuple[int, ...]) -> int:
    """Return how many documents are needed for centroids of the given shape."""
    return -(-int(np.prod(shape)) * 4 // CHUNK)


def read_centroids(parts: list[str], shape: tuple[int, int]) -> NDArray[np.float32]:
    """Return the centroids, float32[n_clusters, dimensions], from the data of their documents.

    Raises ValueError if the data does not have that shape.
    """
    data = b"".join(base64.b64decode(part, validate=True) for part in parts)
    return np.frombuffer(data, "<f4").reshape(shape)
