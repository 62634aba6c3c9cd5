"""Optional parts of an index: sets of arrays with a common unit and a version.

The files of a part are in the index's folder as `part.NAME.TOKEN.ARRAY.npy`; the manifest lists
them. The token depends on the part's inputs, so that rebuilding a part never writes to files that a
reader has open.
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
    "meaning": 2,
}
"""Version of each part that this software makes and reads; a plug-in's parts have version 1."""


class PartMissing(ArgsearchError):
    """The index lacks the requested part."""

    def __init__(self, name: str, index: str | Path, why: str = "", remedy: str = "") -> None:
        """Compose the message; `remedy` replaces the advice to add the part."""
        adding = f"add it with: argsearch index --with {name} --out"
        if name not in VERSIONS:
            remedy = remedy or f"the parts are {', '.join(VERSIONS)}, and those from plug-ins"
        lack = f"has no part {name!r}{why}; "
        self.name, self.lack = name, lack + (remedy or f"{adding} INDEX")
        """Message without the name of the index."""
        super().__init__(f"index {index} {lack}" + (remedy or f"{adding} {index}"))


@dataclass(frozen=True)
class Part:
    """An open part."""

    name: str
    settings: Mapping[str, Any]
    """Settings that the part was made with, and details added by its maker."""
    arrays: Mapping[str, Any] = field(repr=False)
    """Arrays by name; each is `Checked` on use."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._known(name)
        return np.asarray(found.whole if isinstance(found, Checked) else found)

    def rows(self, name: str, docs: NDArray[np.integer]) -> NDArray[Any]:
        """Return some rows of an array, after verifying only these rows."""
        return np.asarray(self._known(name)[docs])

    def _known(self, name: str) -> Any:
        if name not in self.arrays:
            raise self.damaged(f"it has no array {name}")
        return self.arrays[name]

    def damaged(self, why: str) -> IndexDamaged:
        """Return the error for a part with wrong content, with its remedy."""
        remedy = f"build it again with: argsearch index --with {self.name} --out INDEX"
        return IndexDamaged(f"part {self.name} is damaged: {why}; {remedy}")


def open_part(folder: Path, manifest: Mapping[str, Any], name: str, version: int) -> Part:
    """Return a part of the index in `folder`; its arrays are mapped now and verified on use.

    Raises PartMissing if the index has no part with this name and version, and IndexDamaged if a
    file does not match the manifest.
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
