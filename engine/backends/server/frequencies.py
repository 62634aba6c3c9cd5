"""How often words occur in the whole collection, read from the server's own explanations."""

from __future__ import annotations

from collections.abc import Sequence

from argsearch.engine.backends.server.hits import term_matches
from argsearch.engine.backends.server.session import Session

AT_ONCE = 32
"""Words asked for in one request: an explanation is of all those that its document holds."""


def occurrences(session: Session, words: Sequence[str]) -> dict[str, int]:
    """Occurrences of each word that the index has, over all shards.

    One document with a word is explained: its score holds P(t) = (occurrences + 1) / (T + 1).
    """
    found: dict[str, int] = {}
    for first in range(0, len(words), AT_ONCE):
        terms = [{"term": {"text": word}} for word in words[first : first + AT_ONCE]]
        one = {"top_hits": {"size": 1, "explain": True, "_source": False}}
        aggregations = {"words": {"filters": {"filters": terms}, "aggs": {"one": one}}}
        body = {"query": {"bool": {"should": terms}}, "size": 0, "aggs": aggregations}
        for bucket in session.run(body)["aggregations"]["words"]["buckets"]:
            for hit in bucket["one"]["hits"]["hits"]:
                matches, _ = term_matches(hit["_explanation"], session.tokens)
                found |= {term: match.ttf for term, match in matches.items()}
    return found
