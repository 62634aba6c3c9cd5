"""Finds the files of an index in a folder, because only these may be replaced or removed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson

from argsearch.indexer.format.manifest import NAME, is_index_manifest

_BUILD_FILE = re.compile(
    r"manifest\.json(\.new)?|[a-z.]+\.npy|part\.[a-z0-9_.-]+\.npy|forward\.[a-z]+"
)
_PART_FILE = re.compile(r"part\.[A-Za-z0-9_-]+\.[0-9a-f]{8}\.[A-Za-z0-9_.-]+\.npy")


def index_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of the index in a folder, or None if the folder has no index.

    Unlike `manifest.read`, accepts other format versions and damaged indexes. Raises OSError.
    """
    path = folder / NAME
    try:
        content = orjson.loads(path.read_bytes()) if path.is_file() else None
    except ValueError:
        return None
    return content if is_index_manifest(content) else None


def is_build_file(name: str) -> bool:
    """Return whether a build may have written a file of this name into its marked folder."""
    return _BUILD_FILE.fullmatch(name) is not None


def is_part_file(name: str) -> bool:
    """Return whether a name has the form of a part's file name, `part.NAME.TOKEN.ARRAY.npy`.

    A killed `index --with` leaves such files behind without an entry in the manifest.
    """
    return _PART_FILE.fullmatch(name) is not None


def index_files(folder: Path) -> frozenset[str]:
    """Return the names of the files of the index in a folder; empty if there is no index."""
    manifest = index_manifest(folder)
    if manifest is None:
        return frozenset()
    names = (path.name for path in folder.iterdir())
    return frozenset([NAME, *manifest["files"], *filter(is_part_file, names)])


def old_place(target: Path) -> Path:
    """Return the temporary location of an index that cannot be exchanged in one step."""
    target = target.resolve()
    return target.parent / f".{target.name}.exchanging"


def standing_place(index: Path) -> Path:
    """Return an index's folder, or its temporary location if an exchange was interrupted."""
    aside = old_place(index)
    return aside if not (index / NAME).is_file() and index_files(aside) else index
