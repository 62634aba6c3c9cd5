"""Optional parts of an index, made from one that is complete but for them.

A part is a file here and a line in PARTS; `[index] parts`, `argsearch index --with`, the manifest,
`info` and `verify` follow.
"""

from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource, Progress
from argsearch.indexer.parts.counters import CounterPart
from argsearch.indexer.parts.near_duplicates import NearDuplicatesPart
from argsearch.indexer.parts.pairs.part import PairsPart
from argsearch.indexer.parts.premises.part import PremisesPart
from argsearch.indexer.parts.vectors import VectorsPart

_MAKERS: tuple[PartMaker, ...] = (
    VectorsPart(),
    NearDuplicatesPart(),
    CounterPart(),
    PairsPart(),
    PremisesPart(),
)
PARTS = {part.name: part for part in _MAKERS}
"""Every part, by name."""

__all__ = ["PARTS", "Drawer", "PartMaker", "PartSource", "Progress"]
