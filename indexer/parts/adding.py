"""Adding parts to an index, during a build or later without reading the corpus again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from argsearch.indexer.analysis.tagging import load_tagger
from argsearch.indexer.encoders.word_vectors import load_word_vectors
from argsearch.indexer.errors import NEW_NAMES, InvalidParameter, either
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format import parts as layout
from argsearch.indexer.format.arrays import open_arrays
from argsearch.indexer.format.ownership import is_part_file
from argsearch.indexer.format.parts import Part
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.parts.base import Before, Drawer, PartMaker, PartSource
from argsearch.indexer.parts.counters import CounterPart
from argsearch.indexer.parts.meaning import MeaningPart
from argsearch.indexer.parts.near_duplicates import NearDuplicatesPart
from argsearch.indexer.parts.pairs.part import PairsPart
from argsearch.indexer.parts.premises.part import PremisesPart
from argsearch.indexer.parts.vectors import VectorsPart
from argsearch.indexer.platform import MOVES_OPEN_FILES
from argsearch.indexer.processes import Progress, silent
from argsearch.indexer.staging import staged

_MAKERS = (
    VectorsPart(),
    NearDuplicatesPart(),
    CounterPart(),
    PairsPart(),
    PremisesPart(),
    MeaningPart(),
)
PARTS: dict[str, PartMaker] = {part.name: part for part in _MAKERS}
"""All parts, by name."""


def check_parts(names: Sequence[str], settings: IndexSettings | None = None) -> None:
    """Raise an error for an unknown part, or for missing resources that the settings name."""
    for name in names:
        if name not in PARTS:
            new = NEW_NAMES.get(name)
            allowed = f"{new}; that is its new name" if new else either(PARTS)
            raise InvalidParameter("part", name, allowed)
    if settings is not None and PairsPart.name in names:
        load_word_vectors(settings.pair_vectors)
        load_tagger(settings.pair_tagger)


def with_needs(names: Sequence[str]) -> list[str]:
    """Return the parts without duplicates, each after the parts that it needs."""
    ordered: list[str] = []
    for name in names:
        for one in [*with_needs(PARTS[name].needs), name]:
            if one not in ordered:
                ordered.append(one)
    return ordered


def add_parts(
    index: Path,
    names: Sequence[str],
    progress: Progress = silent,
    workers: int = 1,
    settings: Mapping[str, Any] | None = None,
) -> str:
    """Add parts to the index directory `index`, or rebuild them; return its new fingerprint.

    Files are made in a temporary folder, and the manifest that names them is replaced in one step.
    Readers therefore see the index either as it was or with the part. Keys of [index] in `settings`
    override those that the index was built with. Raises IndexMissing, IndexDamaged,
    InvalidParameter, BuildInProgress or BuildFailed.
    """
    check_parts(names)
    manifests.read(index)
    with staged(index, into_place=False) as folder:
        for name in with_needs(names):
            if name in names or name not in manifests.read(index).get("parts", {}):
                make_part(index, folder, PARTS[name], progress, workers, settings)
    fingerprint: str = manifests.read(index)["fingerprint"]
    return fingerprint


def make_part(
    index: Path,
    folder: Path,
    part: PartMaker,
    progress: Progress,
    workers: int,
    changed: Mapping[str, Any] | None = None,
    before: Before | None = None,
) -> None:
    """Make one part of the index `index` in `folder`, and move the part into the index.

    The settings in `changed` override those of the index, as in `add_parts`. The vectors of the
    index `before` are reused, and so are its clusters if they are kept.
    """
    arrays, manifest = open_arrays(index)
    versions = {n: layout.VERSIONS.get(n, 1) for n in (part.name, *part.needs)}
    needed = {n: layout.open_part(index, manifest, n, versions[n]) for n in part.needs}
    asked = {**manifest, "settings": {**manifest["settings"], **(changed or {})}}
    source = PartSource(arrays, asked, DocumentStore(arrays), needed, workers)
    settings, version = part.settings(source), versions[part.name]
    if before and (made := _made_so(before, part.name, version, settings)):
        store, own = DocumentStore(before.arrays), {part.name: made}
        then = PartSource(before.arrays, before.manifest, store, own)
        recorded = made if before.clusters_stay else None
        source = replace(source, before=then, recorded=recorded)
    made_of = [part.name, version, settings, manifests.base(manifest)]
    token = hashlib.sha256(orjson.dumps(made_of, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
    drawer = Drawer(folder, f"part.{part.name}.{token}")
    progress(part.name, 0)
    said = part.make(source, drawer, progress)
    entry = {
        "unit": part.unit,
        "version": version,
        "doc": part.doc,
        "software": manifest["software"],
        "settings": {**settings, **said},
        "arrays": dict(sorted(drawer.files.items())),
    }
    _put(index, folder, manifest, part.name, entry)


def _made_so(before: Before, name: str, version: int, settings: Mapping[str, Any]) -> Part | None:
    """Return the part of the earlier index, or None if it would be made differently now."""
    made = before.manifest.get("parts", {}).get(name)
    if not made or made["version"] != version:
        return None
    if any(made["settings"].get(key) != value for key, value in settings.items()):
        return None
    return layout.open_part(before.folder, before.manifest, name, version)


def _put(
    index: Path, folder: Path, manifest: dict[str, Any], name: str, entry: dict[str, Any]
) -> None:
    """Move a part's files into the index, then name them in its manifest."""
    names = list(entry["arrays"].values())
    entries = {file: manifests.entry(folder / file) for file in names}
    old = manifest.get("parts", {}).get(name, {"arrays": {}})["arrays"].values()
    files = {file: e for file, e in manifest["files"].items() if file not in old} | entries
    for file in names:
        # Files first, the manifest last: a reader sees the old part or the new one.
        (folder / file).replace(index / file)
    known = ("format", "fingerprint", "files", "parts")
    content = {key: value for key, value in manifest.items() if key not in known}
    content["parts"] = {**manifest.get("parts", {}), name: entry}
    manifests.write(index, content, files, folder)
    for path in index.iterdir():
        if is_part_file(path.name) and path.name not in files:
            # Windows cannot remove a file that a reader has open; the next change removes it.
            with nullcontext() if MOVES_OPEN_FILES else suppress(PermissionError):
                path.unlink()
