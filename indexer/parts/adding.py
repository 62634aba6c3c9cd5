"""Adding parts to an index: while it is built, or later, without reading its corpus anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from argsearch.indexer.errors import RENAMED, InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format import parts as layout
from argsearch.indexer.format.arrays import open_arrays, open_columns
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.parts import PARTS, Drawer, PartMaker, PartSource, Progress
from argsearch.indexer.staging import beside


@dataclass(frozen=True, slots=True)
class AddedParts:
    """What was added to an index."""

    fingerprint: str
    names: tuple[str, ...]


def check_parts(names: Sequence[str]) -> None:
    """Raise InvalidParameter for a part that is not known."""
    for name in names:
        if name not in PARTS:
            new = RENAMED.get(name)
            raise InvalidParameter(
                "part", name, f"{new}, its new name" if new else ", ".join(PARTS)
            )


def with_needs(names: Sequence[str]) -> list[str]:
    """The parts with those that they need before them, each once."""
    ordered: list[str] = []
    for name in names:
        for one in [*with_needs(PARTS[name].needs), name]:
            if one not in ordered:
                ordered.append(one)
    return ordered


def add_parts(
    index: Path,
    names: Sequence[str],
    progress: Progress = lambda _stage, _done: None,
    workers: int = 1,
) -> AddedParts:
    """Add parts to the index directory `index`; those that are there are made anew.

    Files are made aside; the manifest that names them is replaced in one step, so that a reader
    has the index as it was or with the parts, whatever happens. Raises IndexMissing, IndexDamaged,
    InvalidParameter, BuildInProgress or BuildFailed.
    """
    check_parts(names)
    manifests.read(index)
    with beside(index) as folder:
        for name in with_needs(names):
            if name in names or name not in manifests.read(index).get("parts", {}):
                make_part(index, folder, PARTS[name], Work(progress, workers))
    return AddedParts(manifests.read(index)["fingerprint"], tuple(names))


@dataclass(frozen=True, slots=True)
class Work:
    """How a part is made."""

    progress: Progress
    workers: int


def make_part(index: Path, folder: Path, part: PartMaker, work: Work) -> None:
    """Make one part of the index in `folder`, and put it into the index."""
    arrays, manifest = open_arrays(index)
    columns = open_columns(index, arrays, manifest)
    needed = {n: layout.open_part(index, manifest, n, PARTS[n].version).arrays for n in part.needs}
    source = PartSource(arrays, columns, manifest, DocumentStore(arrays), needed, work.workers)
    settings = part.settings(source)
    token = layout.token(part.name, part.version, settings, manifests.base(manifest))
    drawer = Drawer(folder, partial(layout.file_name, part.name, token))
    work.progress(part.name, 0)
    said = part.make(source, drawer, work.progress)
    entry = {
        "unit": part.unit,
        "version": part.version,
        "doc": part.doc,
        "software": manifest["software"],
        "settings": {**settings, **said},
        "arrays": dict(sorted(drawer.files.items())),
    }
    _put(index, folder, manifest, part.name, entry)


def _put(
    index: Path, folder: Path, manifest: dict[str, Any], name: str, entry: dict[str, Any]
) -> None:
    """Move a part's files into the index, then name them in its manifest."""
    names = list(entry["arrays"].values())
    entries = {file: manifests.entry(folder / file) for file in names}
    old = manifest.get("parts", {}).get(name, {"arrays": {}})["arrays"].values()
    files = {file: e for file, e in manifest["files"].items() if file not in old} | entries
    for file in names:
        (folder / file).replace(index / file)
    known = ("format", "fingerprint", "files", "parts")
    content = {key: value for key, value in manifest.items() if key not in known}
    content["parts"] = {**manifest.get("parts", {}), name: entry}
    manifests.write(index, content, files)
    for path in index.glob("part.*.npy"):
        if path.name not in files:
            path.unlink()
