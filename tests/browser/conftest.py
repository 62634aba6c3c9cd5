"""Chromium, and a server of an index with everything awkward in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from argsearch import indexer
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from tests.api.awkward import build_index, serving, write_corpus
from tests.indexes import Built

if TYPE_CHECKING:
    pass

SAMPLE = Path(indexer.__file__).parent / "sample" / "arguments.json"


@pytest.fixture(scope="session")
def address(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served."""
    with serving(build_index(built, tmp_path_factory.mktemp("browser"))) as address:
        yield address


@pytest.fixture(scope="session")
def sampled(built: Built) -> Iterator[str]:
    """Where the page is served with the sample corpus, whose arguments have a quality."""
    with serving(built(settings=IndexSettings())) as address:
        yield address


@pytest.fixture(scope="session")
def parted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served with both corpora in an index that has every part."""
    folder = tmp_path_factory.mktemp("parted")
    parts = ("vectors", "near_duplicates", "counter", "pairs", "premises")
    sources = [str(SAMPLE), str(write_corpus(folder))]
    build(BuildRequest(sources, folder / "index", IndexSettings(parts=parts)))
    with serving(folder / "index") as address:
        yield address


def write_posts(folder: Path) -> Path:
    """A corpus of arguments that are all for their conclusions."""
    arguments = [
        {"id": f"z{n}", "conclusion": f"Zoo number {n}", "context": {}}
        | {"premises": [{"text": f"Zoos are good for {n} animals.", "stance": "PRO"}]}
        for n in range(12)
    ]
    path = folder / "posts.json"
    path.write_text(json.dumps({"arguments": arguments}), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def one_sided(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served with arguments that are all for their conclusions."""
    folder = tmp_path_factory.mktemp("one-sided")
    build(
        BuildRequest(
            [str(write_posts(folder))], folder / "index", IndexSettings(quality_model="none")
        )
    )
    with serving(folder / "index") as address:
        yield address


@pytest.fixture(scope="session")
def several(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served with three indexes; one of them is one-sided."""
    folder = tmp_path_factory.mktemp("several")
    posts = write_posts(folder)
    build(BuildRequest([str(posts)], folder / "posts", IndexSettings(quality_model="none")))
    sample = built(settings=IndexSettings())
    named = [f"odd={build_index(built, folder)}", f"the-sample-corpus={sample}"]
    with serving(*named, f"posts={folder / 'posts'}") as address:
        yield address
