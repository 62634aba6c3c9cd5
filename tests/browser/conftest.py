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
from tests.processes import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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


@pytest.fixture
def open_page(chromium: Browser, address: str) -> Iterator:
    """Opens a path of the page at a width and colour scheme; any error in it fails the test."""
    contexts = []
    errors: list[str] = []

    def open_at(path: str, width: int = 1280, scheme: str = "light") -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce",
            base_url=address,
            accept_downloads=True,
        )
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console", lambda message: errors.append(message.text) if _is_error(message) else None
        )
        page.on(
            "request", lambda request: errors.append(request.url) if _foreign(request) else None
        )
        page.goto(path)
        return page

    def _foreign(request: object) -> bool:
        return not request.url.startswith(("http://127.0.0.1:", "data:", "blob:"))

    yield open_at
    for context in contexts:
        context.close()
    assert errors == []


def _is_error(message: object) -> bool:
    """An error or warning of the page itself; a refused request is also told by its answer."""
    return message.type in ("error", "warning") and "Failed to load resource" not in message.text
