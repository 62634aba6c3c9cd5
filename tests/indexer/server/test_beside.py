"""The directory beside an index on a server, after a kill: which of two is the one to be asked."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.building import changing_on_server
from argsearch.indexer.building.request import BuildRequest
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.processes import silent
from argsearch.indexer.server.generations import Generation
from argsearch.indexer.staging import building_place, staged


def without_parts(folder: Path) -> None:
    """Leave an index as an equal build leaves it that is killed before its parts are made."""
    manifest = manifests.read(folder)
    del manifest["parts"]
    files = manifest["files"].items()
    manifests.write(folder, manifest, {n: e for n, e in files if not n.startswith("part.")})


@pytest.mark.parametrize("whole", ["there", "aside"])
def test_the_directory_with_all_parts_is_the_one_that_stays(
    counter_index: Path, tmp_path: Path, whole: str
) -> None:
    beside = tmp_path / "beside"
    aside = building_place(beside)
    for folder in (beside, aside):
        shutil.copytree(counter_index, folder)
    without_parts(aside if whole == "there" else beside)
    manifest, none = manifests.read(counter_index), np.zeros((0, 0), np.float32)
    generation = Generation("n-1", 2000.0, 1, None, manifest, none, beside=str(beside))
    request = BuildRequest([], "http://localhost:1/n")
    assert changing_on_server._beside(generation, request, silent)[0].out == beside
    assert manifests.read(beside) == manifest
    assert aside.exists() == (whole == "there")  # the next build or change removes it
    if whole == "there":  # nor does one replace it that is written with fewer parts than it has now
        fewer = replace(generation, manifest=manifests.read(aside))
        changing_on_server._beside(fewer, request, silent)
        assert manifests.read(beside) == manifest


@pytest.mark.parametrize("belongs", [None, True])
def test_what_a_server_may_ask_for_is_kept(tmp_path: Path, belongs: bool | None) -> None:
    """Whatever comes: aside where its name may have moved, in its place where it has."""
    target = tmp_path / "index"
    with pytest.raises(KeyboardInterrupt), staged(target, belongs=lambda: belongs) as folder:
        manifests.write(folder, {}, {})
        raise KeyboardInterrupt
    assert (target / "manifest.json").exists() == bool(belongs)
    assert (building_place(target) / "manifest.json").exists() != bool(belongs)
    for _ in range(2):  # the second time it replaces the first
        with staged(target, belongs=lambda: belongs) as folder:
            manifests.write(folder, {}, {})
        assert target.exists()
        assert not building_place(target).exists()
