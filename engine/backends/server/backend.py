"""The backend for Elasticsearch and OpenSearch: the server computes Eq. 1 for all matches.

R is the server's own LMDirichlet score. A sort script over doc values computes Eq. 1 in double
precision; the query contains the factor of each cluster. Results are never approximated: if the
server cannot compute a result exactly, the backend raises an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import IndexInfo
from argsearch.engine.backends.server.counting import aggregations
from argsearch.engine.backends.server.hits import (
    ServerMatches,
    ServerRanking,
    documents_with,
    occurrences,
)
from argsearch.engine.backends.server.requests import ServerRequest, Spellings, translate
from argsearch.engine.backends.server.session import Session
from argsearch.engine.cached import cached_property
from argsearch.engine.config import Retrieval
from argsearch.engine.query.query import Query
from argsearch.engine.query.variants import APOSTROPHES, MODIFIER, unify_word, variants
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.manifest import (
    IndexDamaged,
    IndexFormatUnsupported,
    IndexMissing,
    base,
)
from argsearch.indexer.format.manifest import read as read_manifest
from argsearch.indexer.format.parts import VERSIONS, Part, PartMissing
from argsearch.indexer.server.address import mask, parse
from argsearch.indexer.server.client import ATTEMPTS, RequestRejected, connect
from argsearch.indexer.server.generations import every_id, open_generation
from argsearch.indexer.server.schema import BESIDE, GROUP, HITS_AT_ONCE

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.backend import EmbeddedBackend

_BUILD = "argsearch index CORPUS --with"
CACHED_OCCURRENCES = 10_000
"""Number of query words whose occurrences are cached."""


class ServerBackend:
    """An index on a search server, opened for searching; safe to share between threads."""

    is_local = False
    tells_near = False
    contents: None = None
    """Always None, since the documents are on the server."""
    _beside: EmbeddedBackend | None = None
    _why_not = ""

    def __init__(self, address: str, attempts: int = ATTEMPTS) -> None:
        """Open the index or alias at `http(s)://host:port/name`.

        Raises IndexMissing, IndexForeign, IndexDamaged, IndexFormatUnsupported, MissingExtra and
        the errors raised by `argsearch.indexer.server.client`.
        """
        self._address, self._name = address, mask(address)
        server = connect(parse(address), attempts)
        try:
            self.session = Session(server, open_generation(server))
        # Also after Ctrl-C, since no other code has this object and could close its connections.
        except BaseException:
            server.close()
            raise
        self.info = IndexInfo.of(self.session.generation.manifest)
        self.centroids: NDArray[np.float32] = self.session.generation.centroids
        self._occurrences: dict[str, int] = {}
        self._is_everywhere = lru_cache(CACHED_OCCURRENCES)(
            lambda term: self.session.every_shard_has(term)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return ServerBackend, (self._address,)

    def has_label(self, column: str, label: str) -> bool:
        """Return True if a document has this label in a column, by a request to the server."""
        return self.session.count({"term": {column: label}}) > 0

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Return how often each term occurs in the index; the server's answers are cached."""
        # The dictionary is replaced and never changed, as other threads may be reading it.
        known = self._occurrences if len(self._occurrences) < CACHED_OCCURRENCES else {}
        new = [term for term in dict.fromkeys(terms) if term not in known]
        none = dict.fromkeys(new, 0)
        self._occurrences = found = known | none | occurrences(self.session, new)
        return [found[term] for term in terms]

    def spellings(self, words: Sequence[str], asked: Retrieval) -> list[Spellings]:
        """Return the spellings of each word that count as one term, or else just the word."""
        if not asked.unifies_spellings:
            return [(word,) for word in words]
        able = [variants(unify_word(word), self._marks) for word in words]
        # Most words have one spelling, so there is nothing to ask the server.
        forms = [one for some in able if len(some) > 1 for one in some]
        occurring = {one for one, n in zip(forms, self.frequencies(forms), strict=True) if n}
        found = [
            some if len(some) == 1 else tuple(sorted(occurring.intersection(some))) for some in able
        ]
        return [self._added_up(some) or (word,) for some, word in zip(found, words, strict=True)]

    @cached_property
    def _marks(self) -> str:
        """The apostrophes that a term may contain, with MODIFIER only if some term has it.

        With MODIFIER every word has four spellings, and each new question costs one more request.
        """
        try:
            found = self.session.count({"wildcard": {"text": {"value": f"*{MODIFIER}*"}}})
        except RequestRejected:  # a server can forbid expensive queries
            found = 1
        return APOSTROPHES if found else APOSTROPHES.replace(MODIFIER, "")

    def _added_up(self, spellings: Spellings) -> Spellings:
        """Return the spellings of a word that the server can count as one term (at least one).

        A shard adds up only its own terms, so each of these spellings must be on every shard. In an
        index written by an earlier version, a word's spellings are never counted together.
        """
        generation = self.session.generation
        if len(spellings) < 2 or (generation.unifies_spellings and generation.shards == 1):
            return spellings
        kept = filter(self._is_everywhere, spellings) if generation.unifies_spellings else ()
        counts = dict(zip(spellings, self.frequencies(spellings), strict=True))
        return tuple(kept) or (max(spellings, key=counts.__getitem__),)

    def documents_with(self, words: Sequence[str], asked: Retrieval) -> NDArray[np.int64]:
        """Return how many documents have each word, in any spelling but no other form, int64[w]."""
        return documents_with(self.session, self.spellings(words, asked))

    def check(self) -> None:
        """Do nothing, since a server checks its own files."""

    def close(self) -> None:
        """Close the connections."""
        self.session.server.close()

    @property
    def beside(self) -> EmbeddedBackend | None:
        """The index directory named in the server's metadata, if it belongs to the server's index.

        After a failed check, the next access checks the directory again.
        """
        if self._beside is None and (folder := self.session.generation.beside):
            from argsearch.engine.backends.embedded.backend import EmbeddedBackend

            manifest = self.session.generation.manifest
            try:
                if base(read_manifest(Path(folder))) == base(manifest):
                    self._beside = EmbeddedBackend(Path(folder))
                self._why_not = "belongs to another index"
            except IndexMissing:
                self._why_not = "no longer exists"
            except (IndexDamaged, IndexFormatUnsupported) as error:
                self._why_not = f"cannot be read: {error}"
        return self._beside

    @property
    def parts(self) -> frozenset[str]:
        """Names of the optional parts on the server and in the directory beside it."""
        found = self.beside
        beside = found.parts.intersection(BESIDE) if found else frozenset()
        return self.session.generation.parts | beside

    def part(self, name: str, version: int | None = None) -> Part:
        """Return an optional part, whose values the documents store, or raise PartMissing."""
        if name in self.session.generation.parts and version in (None, VERSIONS[name]):
            return Part(name, {}, {})
        why = f" of version {VERSIONS.get(name, 1) if version is None else version}"
        remedy = "a search server cannot hold this part; use a directory"
        if name == GROUP:
            remedy = f"build it on the search server with: {_BUILD} {name} --out {self._name}"
        elif name in BESIDE:
            remedy = f"keep it beside the search server's index: {_BUILD} {name} --beside DIRECTORY"
            remedy += f" --out {self._name}"
            if (folder := self.session.generation.beside) and self.beside is None:
                remedy = f"{folder}, beside the search server's index, {self._why_not}"
            elif folder:
                remedy = f"add it with: argsearch index --with {name} --out {folder}"
        raise PartMissing(name, self._name, why, remedy)

    def argument(self, id: str) -> Argument | None:
        """Return the argument with this id, or None."""
        return self.session.arguments([id])[0]

    def quality(self, id: str) -> float | None:
        """Return Q of the argument with this id, or None."""
        body = {"query": {"term": {"id": id}}, "size": 1, "docvalue_fields": ["quality"]}
        hits = self.session.run({**body, "_source": False})["hits"]["hits"]
        return float(np.float32(hits[0]["fields"]["quality"][0])) if hits else None

    def near_duplicates(self, id: str) -> list[str]:
        """Return the sorted ids of an argument's near-duplicates, or raise PartMissing."""
        self.part(GROUP)
        body = {"query": {"term": {"id": id}}, "size": 1, "docvalue_fields": [GROUP]}
        hits = self.session.run({**body, "_source": False})["hits"]["hits"]
        group = hits[0].get("fields", {}).get(GROUP) if hits else None
        if not group:
            return []
        return [one for one in every_id(self.session.run, {"term": {GROUP: group[0]}}) if one != id]

    def search(self, query: Query) -> ServerRanking:
        """Return the exact answer, or raise InvalidParameter if the server cannot compute it."""
        if query.near:
            self.part("meaning")
        spellings_of = partial(self.spellings, asked=query.retrieval)
        request = translate(query, self.session.generation, spellings_of)
        hits: list[dict[str, Any]] = []
        total, after, read, last = None, None, 0, query.offset + query.k
        if not request.query:
            total, last = 0, 0
        counted: dict[str, Any] = {}
        while read < last:
            size = min(HITS_AT_ONCE, last - read)
            answer = self._page(request, size, after)
            if after is None and request.boosted:
                total = int(answer["hits"]["total"]["value"])
            counted = counted or answer.get("aggregations", {})
            page = answer["hits"]["hits"]
            hits += page[max(0, query.offset - read) :]
            read += len(page)
            if len(page) < size:
                break
            # A server counts hits only up to the 10,000th. This request continues after any hit.
            after = page[-1]["sort"]
        ids = [hit["sort"][-1] for hit in hits]
        matches = ServerMatches(self.session, request, total, spellings_of, counted)
        # A server writes R (single precision) with few digits.
        R = np.array([hit["_score"] for hit in hits], np.float32).astype(np.float64)
        S = np.array([hit["sort"][-2] for hit in hits], np.float64) if request.boosted else R
        return ServerRanking(S, self.session, query, request, R, ids, matches)

    def _page(self, request: ServerRequest, size: int, after: Any) -> dict[str, Any]:
        body = {
            "query": request.query,
            "sort": request.sort,
            "size": size,
            "track_scores": True,
            "track_total_hits": request.boosted and after is None,
            "_source": False,
            "stored_fields": "_none_",
        }
        if after is not None:
            body["search_after"] = after
        elif request.facets:
            body["aggs"] = aggregations(request.facets, {})
        return self.session.run(body)
