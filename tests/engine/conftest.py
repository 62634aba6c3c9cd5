"""Indexes of real corpora that several files of this room search."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings


@pytest.fixture(scope="session")
def real_index(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The args.me subset with groups of near-copies and vectors; not to be written to."""
    out = tmp_path_factory.mktemp("real") / "index"
    corpus = str(data_dir / "argsme-subset" / "args-me-subset.json.xz")
    build(BuildRequest([corpus], out, IndexSettings(parts=("copies", "vectors"))))
    return out
