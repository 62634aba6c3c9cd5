"""Change a served index. Changes run in their own process and return plain data."""

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
"""Source name given to posted documents in a manifest."""


def add(index: str, folder: Path) -> dict[str, Any]:
    """Add the documents in the file SOURCE of a folder to an index. Returns the dict from `told`.

    Meanwhile, that folder is the working directory of the process.
    """
    os.chdir(folder)
    try:
        return told(lambda: changed(changing.add(index, [SOURCE])))
    finally:
        os.chdir(folder.parent)


def remove(index: str, ids: list[str], conditions: list[str]) -> dict[str, Any]:
    """Remove documents by ids or by conditions on columns. Returns the dict from `told`."""
    return told(lambda: changed(changing.remove(index, ids or where(*conditions))))


def count(index: str, conditions: list[str]) -> dict[str, Any]:
    """Count the documents that `remove` would remove. Returns the dict from `told`."""

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
    """Return the counts of a change and the index's new fingerprint, by name."""
    counts = {name: getattr(report, name) for name in ("added", "changed", "removed")}
    documents = report.counts["documents"]
    return {**counts, "documents": documents, "fingerprint": report.fingerprint}


def told(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Do the work and return its result, or the reason for a failure under the key `refused`.

    The reason is a tuple of a kind and its details. `busy` has no details. `invalid` takes the same
    arguments as `api.http.problems.invalid`. `failed` and `left` contain a line to log. `left`
    means that the change was made, but old files remain.
    """
    try:
        return work()
    except BuildInProgress:
        return {"refused": ("busy",)}
    except CorpusError as error:
        said = f"{error.position}: {error.problem}".removeprefix(": ")
        problem = f"the documents in the body cannot be added: {said}"
        return {"refused": ("invalid", "body", said, "documents as for `add`", problem)}
    except InvalidParameter as error:
        name = "ids" if error.parameter == "ID" else error.parameter
        return {"refused": ("invalid", name, str(error.value), error.allowed, error.problem)}
    except OldFilesLeft as error:
        return {"refused": ("left", str(error))}
    except ArgsearchError as error:
        return {"refused": ("failed", str(error))}
