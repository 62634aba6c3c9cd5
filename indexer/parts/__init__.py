"""Optional parts of an index, made from one that is complete but for them.

A part is a file here and a line in PARTS; `[index] parts`, `argsearch index --with`, the manifest,
`info` and `verify` follow.
"""

from argsearch.indexer.parts.base import Drawer, PartMaker, Progress, Source
from argsearch.indexer.parts.counters import Counter
from argsearch.indexer.parts.near_duplicates import Copies
from argsearch.indexer.parts.pairs.part import Pairs
from argsearch.indexer.parts.premises.part import Premises
from argsearch.indexer.parts.vectors import Vectors

_MAKERS: tuple[PartMaker, ...] = (
    Vectors(),
    Copies(),
    Counter(),
    Pairs(),
    Premises(),
)
PARTS = {part.name: part for part in _MAKERS}
"""Every part, by name."""

__all__ = ["PARTS", "Drawer", "PartMaker", "Progress", "Source"]
