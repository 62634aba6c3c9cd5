"""Near-duplicates: which documents say again, word for word, most of what another says.

`sketch` turns a run of documents into sets of numbers, one for each run of five words; `group`,
once for a corpus, names each document's representative.
"""

from argsearch.ranking.near_duplicates.grouping import (
    Rule,
    containment,
    group,
    group_plain,
    is_near_duplicate,
    jaccard,
)
from argsearch.ranking.near_duplicates.shingles import WORDS, Sketch, sketch, term_hashes

__all__ = [
    "WORDS",
    "Rule",
    "Sketch",
    "containment",
    "group",
    "group_plain",
    "is_near_duplicate",
    "jaccard",
    "sketch",
    "term_hashes",
]
