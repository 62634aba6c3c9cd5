"""What was computed before, found by a digest of everything that it depends on."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from argsearch.engine.config import Config
from argsearch.engine.engine import Engine
from argsearch.indexer.building.build import BuildRequest, build, workers_for
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.manifest import (
    INDEX_FORMAT,
    IndexDamaged,
    IndexFormatUnsupported,
)
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.model_files import checksum
from argsearch.indexer.platform import is_running
from argsearch.indexer.quality import load_quality_model
from argsearch.indexer.quality.pairwise import load_pairwise_model
from argsearch.lab.experiment.plan import Corpus
from argsearch.lab.runs.text import replacing
from argsearch.version import __version__

_PARTIAL = re.compile(r"\.[0-9a-f]{24}(\.[a-z]+)?(\.[0-9a-f]{8})?\.(?P<process>\d{1,9})\.partial")
"""The name of a part while it is written: its digest, an ending and the number of the process."""
PROJECT = Path(__file__).resolve().parents[2]


class CacheUnusable(ArgsearchError):
    """The folder of the cache cannot be written."""


def digest(parts: Mapping[str, Any]) -> str:
    """SHA-256 of a mapping of plain values, 24 hexadecimal digits."""
    # Sorted, so that the order in which a key was put together does not change it.
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
def software(*packages: str) -> str:
    """The version and a digest of the packages' Python files: changed code is other software."""
    found = hashlib.sha256()
    # Files beside the version: a developer's change has no version of its own.
    for package in packages:
        for path in sorted((PROJECT / package).rglob("*.py")):
            found.update(path.relative_to(PROJECT).as_posix().encode() + b"\0")
            found.update(path.read_bytes())
    return f"{__version__} {found.hexdigest()[:16]}"


class Cache:
    """A folder of finished parts; a part is there whole or not at all.

    `fresh` finds nothing that was there before (what this object puts in is found again).
    """

    def __init__(self, root: Path, *, fresh: bool = False) -> None:
        self.root = root
        self._fresh = fresh
        self._own: set[Path] = set()
        self._swept: set[Path] = set()

    def place(self, kind: str, key: str) -> Path:
        """Where a part of a kind (`indexes`, `runs`, …) is or would be."""
        folder = self.root / kind
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CacheUnusable(
                f"the cache {self.root} cannot be written ({error.strerror or error}); "
                "choose another folder with --cache"
            ) from error
        # Once for each folder: before every part it would list them all again.
        if folder not in self._swept:
            self._swept.add(folder)
            # Left by a process that was killed.
            for left in folder.glob(".*.partial"):
                named = _PARTIAL.fullmatch(left.name)
                # Another experiment may be writing here, and other names are not of this cache.
                if named and not left.is_symlink() and not is_running(int(named["process"])):
                    shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        return folder / key

    def has(self, path: Path) -> bool:
        """Whether a part is there and may be used."""
        return path.exists() and (not self._fresh or path in self._own)

    def keep(self, path: Path) -> None:
        """A part has been made at `path`."""
        self._own.add(path)

    @contextmanager
    def folder(self, path: Path) -> Iterator[Path]:
        """A folder to fill, which becomes `path` when it is complete."""
        aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        try:
            yield aside
            # No system renames a folder over one that holds files.
            if self._fresh:
                shutil.rmtree(path, ignore_errors=True)
            # Another process was faster: its part is as good.
            with suppress(OSError):
                aside.rename(path)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        self.keep(path)

    def read(self, kind: str, key: str) -> Any:
        """A JSON value that was written before, or None (a damaged file is None too)."""
        path = self.place(kind, f"{key}.json")
        if self.has(path):
            with suppress(ValueError, OSError, RecursionError):
                return json.loads(path.read_text(encoding="utf-8"))
        return None

    def write(self, kind: str, key: str, value: Any) -> None:
        """Keep a JSON value (NaN is allowed)."""
        path = self.place(kind, f"{key}.json")
        with replacing(path) as stream:
            stream.write(json.dumps(value).encode())
        self.keep(path)


class Observer(Protocol):
    """Who is told how far an experiment is."""

    def update(self, stage: str, done: int, total: int | None = None, /) -> None:
        """`done` units of a stage are done, of so many."""

    def note(self, message: str) -> None:
        """Something a reader should know."""


class Silent:
    """An observer that says nothing."""

    def update(self, stage: str, done: int, total: int | None = None, /) -> None:
        """Nothing."""

    def note(self, message: str) -> None:
        """Nothing."""


@dataclass
class Indexes:
    """Engines by corpus and [index] settings, each built once and then opened once."""

    cache: Cache
    observer: Observer
    workers: int | None = None
    """Processes that build one; None: chosen as `argsearch index` does."""
    _open: dict[str, Engine] = field(default_factory=dict)
    _corpora: dict[str, str] = field(default_factory=dict)

    def engine(self, corpus: Corpus, config: Config) -> Engine:
        """The engine for a corpus with the configuration's [index] settings, built where needed.

        A corpus that names an index is opened as it is, whatever the configuration says.
        """
        key = corpus.index or self._key(corpus, config.index)
        # Systems that differ in their ranking alone share one index.
        if key not in self._open:
            self._open[key] = (
                Engine.open(corpus.index) if corpus.index else self._built(corpus, config, key)
            )
        return self._open[key]

    def close(self) -> None:
        """Release every index."""
        for engine in self._open.values():
            engine.close()

    def _key(self, corpus: Corpus, settings: IndexSettings) -> str:
        """A digest of all that decides what an index holds: the code and quality model too."""
        if corpus.name not in self._corpora:
            self._corpora[corpus.name] = digest({"sources": [_identity(s) for s in corpus.source]})
        # By content below: a model can be trained anew under the same name.
        spec, pairwise = settings.quality_model, settings.pairwise_model
        return digest(
            {
                "corpus": self._corpora[corpus.name],
                "on_error": corpus.on_error,
                "settings": asdict(settings),
                "format": INDEX_FORMAT,
                "software": software("indexer", "ranking"),
                "quality_model": "none" if spec == "none" else load_quality_model(spec).sha256,
                "pairwise_model": pairwise != "default" and load_pairwise_model(pairwise).sha256,
            }
        )

    def _built(self, corpus: Corpus, config: Config, key: str) -> Engine:
        path = self.cache.place("indexes", key)
        if self.cache.has(path):
            try:
                return Engine.open(path)
            except (IndexDamaged, IndexFormatUnsupported) as error:
                self.observer.note(f"{error}; it is rebuilt now")
        self.observer.update(f"index of {corpus.name}, seed {config.index.seed}", 0)
        workers = workers_for(corpus.source) if self.workers is None else self.workers
        asked = (corpus.source, path, config.index, config.name, corpus.on_error, workers)
        build(BuildRequest(*asked), self.observer.update)
        self.cache.keep(path)
        return Engine.open(path)


def _identity(source: str) -> str:
    """SHA-256 of a file; `irds:NAME` stands for itself."""
    if source.startswith("irds:"):
        return source
    path = Path(source)
    if not path.is_file():
        raise InvalidParameter("corpora source", source, "a file that exists, or irds:NAME")
    return checksum(path)


def ranking_identity(engine: Engine, config: Config) -> dict[str, object]:
    """What decides a ranking beside topics and k: the index, the configuration, the code."""
    sections = config.to_dict()
    # The index's settings are in its fingerprint, and a name ranks nothing.
    for what in ("name", "index"):
        del sections[what]
    return {
        "index": engine.info.fingerprint,
        "config": sections,
        "software": software("engine", "indexer", "ranking"),
    }
