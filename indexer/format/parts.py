"""Optional parts of an index: sets of arrays of one unit, each with a version of its own.

A part's arrays lie beside the others as `part.NAME.TOKEN.ARRAY.npy`; the manifest names them. The
token follows from what the part was made of, so that a part made anew never writes into files that
a reader has open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.checked import Checked
from argsearch.indexer.format.manifest import IndexDamaged

VERSIONS = {
    "vectors": 1,
    "near_duplicates": 1,
    "counter": 1,
    "pairs": 1,
    "premises": 2,
    "meaning": 1,
}
"""The version of each part that is made and read here; one of another name is of version 1."""


class PartMissing(ArgsearchError):
    """An index without the part that was asked for."""

    def __init__(self, name: str, index: str | Path, why: str = "", remedy: str = "") -> None:
        """remedy: instead of adding it."""
        adding = f"add it with: argsearch index --with {name} --out"
        if name not in VERSIONS:
            remedy = remedy or f"allowed: {', '.join(VERSIONS)}, or one of your own that was added"
        lack = f"has no part {name!r}{why}; "
        self.name, self.lack = name, lack + (remedy or f"{adding} INDEX")
        """What is missing and the remedy, whatever the index is called."""
        super().__init__(f"index {index} {lack}" + (remedy or f"{adding} {index}"))


@dataclass(frozen=True)
class Part:
    """An open part."""

    name: str
    settings: Mapping[str, Any]
    """What it was made with, and what its maker says of it."""
    arrays: Mapping[str, Any] = field(repr=False)
    """Each `Checked` where it is read."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._known(name)
        return np.asarray(found.whole if isinstance(found, Checked) else found)

    def rows(self, name: str, docs: NDArray[np.integer]) -> NDArray[Any]:
        """Some rows of an array, of which only these are checked."""
        return np.asarray(self._known(name)[docs])

    def _known(self, name: str) -> Any:
        if name not in self.arrays:
            remedy = f"make it anew with: argsearch index --with {self.name} --out INDEX"
            raise IndexDamaged(f"part {self.name} has no array {name}; {remedy}")
        return self.arrays[name]


def open_part(folder: Path, manifest: Mapping[str, Any], name: str, version: int) -> Part:
    """A part of the index in `folder`, its arrays mapped, each to be checked where it is read.

    Raises PartMissing where the index has none of that name and version, IndexDamaged for files
    that are not what the manifest says.
    """
    described = manifest.get("parts", {}).get(name)
    if described is None:
        raise PartMissing(name, folder)
    if described["version"] != version:
        raise PartMissing(name, folder, f" of version {version} (it has {described['version']})")
    arrays = {
        array: Checked(folder, file, manifest["files"][file])
        for array, file in sorted(described["arrays"].items())
    }
    return Part(name, described["settings"], arrays)
