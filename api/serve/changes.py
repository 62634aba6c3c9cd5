"""Changes of a served index, run in a process of their own; results are plain data."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from argsearch.engine.query.filters import select, where
from argsearch.indexer.building import changing
from argsearch.indexer.building.changing import ChangeReport
from argsearch.indexer.corpus.report import CorpusError
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.staging import BuildInProgress, OldFilesLeft

SOURCE = "posted"
"""Name of posted documents among the sources in a manifest."""


def add(index: str, folder: Path) -> dict[str, Any]:
    """Add the documents in the file SOURCE of a folder to an index; see `told`.

    The process works in that folder meanwhile.
    """
    os.chdir(folder)
    try:
        return told(lambda: changed(changing.add(index, [SOURCE])))
    finally:
        os.chdir(folder.parent)


def remove(index: str, asked: tuple[list[str], list[str]]) -> dict[str, Any]:
    """Remove documents from an index by ids or by conditions on columns; see `told`."""
    ids, conditions = asked
    return told(lambda: changed(changing.remove(index, ids or where(*conditions))))


def count(index: str, conditions: list[str]) -> dict[str, Any]:
    """Count the documents that `remove` would remove by conditions; see `told`."""

    def counted() -> dict[str, Any]:
        """Return the count, and the conditions in words."""
        selected = select(index, conditions)
        return {
            "dry_run": True,
            "matched": len(selected.ids),
            "documents": selected.documents,
            "where": list(selected.conditions),
        }

    return told(counted)


def changed(report: ChangeReport) -> dict[str, Any]:
    """Return the counts of a change and the new fingerprint, by name."""
    counts = {name: getattr(report, name) for name in ("added", "changed", "removed")}
    documents = report.counts["documents"]
    return {**counts, "documents": documents, "fingerprint": report.fingerprint}


def told(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of the work, or the reason of a failure under `refused`.

    The reason is a kind with details. `busy` has none. `invalid` has parameter, value and allowed
    values, and `failed` a line for the log. `left` means that the change was made, but old files
    remain; it has a line, too.
    """
    try:
        return work()
    except BuildInProgress:
        return {"refused": ("busy",)}
    except CorpusError as error:
        said = f"{error.position}: {error.problem}".removeprefix(": ")
        return {"refused": ("invalid", "body", said, "documents that `argsearch add` reads")}
    except InvalidParameter as error:
        name = "ids" if error.parameter == "ID" else error.parameter
        return {"refused": ("invalid", name, str(error.value), error.allowed)}
    except OldFilesLeft as error:
        return {"refused": ("left", str(error))}
    except ArgsearchError as error:
        return {"refused": ("failed", str(error))}
