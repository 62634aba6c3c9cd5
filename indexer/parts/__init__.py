"""Optional parts of an index, made from one that is complete but for them.

A part is a file here and a line in PARTS; `[index] parts`, `argsearch index --with`, the manifest,
`info` and `verify` follow.
"""

from indexer.parts.base import Drawer, PartMaker, Progress, Source
from indexer.parts.copies import Copies
from indexer.parts.counter import Counter
from indexer.parts.pairs import Pairs
from indexer.parts.premises import Premises
from indexer.parts.vectors import Vectors

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
