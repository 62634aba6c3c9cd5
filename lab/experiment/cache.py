"""Cache of computed results, keyed by a digest of everything that they depend on."""

from __future__ import annotations

import hashlib
import json
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
from argsearch.indexer.quality import load_quality_model
from argsearch.indexer.quality.pairwise import load_pairwise_model
from argsearch.indexer.staging import scratch_folder
from argsearch.lab.experiment.plan import Corpus
from argsearch.version import __version__

UNFINISHED_PART = ".part-"
"""Prefix of folders with unfinished parts; those of killed processes are removed later."""
PROJECT = Path(__file__).resolve().parents[2]


class CacheUnusable(ArgsearchError):
    """The cache folder cannot be written."""


def digest(parts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a mapping of plain values as 24 hexadecimal digits."""
    # Sort the keys, so that their insertion order does not change the digest.
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
def software(*packages: str) -> str:
    """Return the version and a digest of the packages' Python files, to detect changed code."""
    found = hashlib.sha256()
    # The version alone does not change when a developer edits a file.
    for package in packages:
        for path in sorted((PROJECT / package).rglob("*.py")):
            found.update(path.relative_to(PROJECT).as_posix().encode() + b"\0")
            found.update(path.read_bytes())
    return f"{__version__} {found.hexdigest()[:16]}"


class Cache:
    """A folder of finished parts. Each part exists completely or not at all.

    With `fresh`, parts from earlier runs are ignored, and parts that this object added are used.
    """

    def __init__(self, root: Path, *, fresh: bool = False) -> None:
        self.root = root
        self._fresh = fresh
        self._own: set[Path] = set()

    def place(self, kind: str, key: str) -> Path:
        """Return the path of a cached part (kind: `indexes`, `runs`, …), which may not exist."""
        folder = self.root / kind
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CacheUnusable(
                f"the cache {self.root} cannot be written ({error.strerror or error}); "
                "choose another folder with --cache"
            ) from error
        return folder / key

    def has(self, path: Path) -> bool:
        """Return whether a part exists and may be used."""
        return path.exists() and (not self._fresh or path in self._own)

    def keep(self, path: Path) -> None:
        """Record that the part at `path` is finished."""
        self._own.add(path)

    @contextmanager
    def folder(self, path: Path) -> Iterator[Path]:
        """Yield a temporary folder to fill, and rename it to `path` when it is complete."""
        with scratch_folder(UNFINISHED_PART, path.parent) as scratch:
            aside = scratch / path.name
            aside.mkdir()
            yield aside
            # A folder cannot be renamed to an existing folder that has files.
            if self._fresh:
                shutil.rmtree(path, ignore_errors=True)
            # If another process was faster, its part is equivalent.
            with suppress(OSError):
                aside.rename(path)
        self.keep(path)

    def read(self, kind: str, key: str) -> Any:
        """Return a stored JSON value, or None if it is missing or damaged."""
        path = self.place(kind, f"{key}.json")
        if self.has(path):
            with suppress(ValueError, OSError, RecursionError):
                return json.loads(path.read_text(encoding="utf-8"))
        return None

    def write(self, kind: str, key: str, value: Any) -> None:
        """Store a JSON value (NaN is allowed)."""
        path = self.place(kind, f"{key}.json")
        with scratch_folder(UNFINISHED_PART, path.parent) as scratch:
            aside = scratch / path.name
            aside.write_text(json.dumps(value), encoding="utf-8")
            aside.replace(path)
        self.keep(path)


class Observer(Protocol):
    """Receiver of an experiment's progress."""

    def update(self, stage: str, done: int, total: int | None = None, /) -> None:
        """Report that `done` units of a stage are done. total: the number of units, if known."""

    def note(self, message: str) -> None:
        """Report a message that the user should read."""


class Silent:
    """An observer that discards everything."""

    def update(self, stage: str, done: int, total: int | None = None, /) -> None:
        """Do nothing."""

    def note(self, message: str) -> None:
        """Do nothing."""


@dataclass
class Indexes:
    """Engines by corpus and [index] settings. Each index is built and opened only once."""

    cache: Cache
    observer: Observer
    workers: int | None = None
    """Number of processes per build. None means the default of `argsearch index`."""
    _open: dict[str, Engine] = field(default_factory=dict)
    _corpora: dict[str, str] = field(default_factory=dict)

    def engine(self, corpus: Corpus, config: Config) -> Engine:
        """Return the engine for a corpus and [index] settings, and build its index if needed.

        If the corpus names an existing index, that index is opened whatever the configuration says.
        """
        key = corpus.index or self._key(corpus, config.index)
        # Systems that only differ in ranking share an index.
        if key not in self._open:
            self._open[key] = (
                Engine.open(corpus.index) if corpus.index else self._built(corpus, config, key)
            )
        return self._open[key]

    def close(self) -> None:
        """Close every index."""
        for engine in self._open.values():
            engine.close()

    def _key(self, corpus: Corpus, settings: IndexSettings) -> str:
        """Return a digest of everything that an index depends on, such as code and models."""
        if corpus.name not in self._corpora:
            self._corpora[corpus.name] = digest({"sources": [_identity(s) for s in corpus.source]})
        # Identify models by content, because a model can be retrained under the same name.
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
                self.observer.note(f"{error}; rebuilding it")
        self.observer.update(f"index of {corpus.name}, seed {config.index.seed}", 0)
        workers = workers_for(corpus.source) if self.workers is None else self.workers
        asked = (corpus.source, path, config.index, config.name, corpus.on_error, workers)
        build(BuildRequest(*asked), self.observer.update)
        self.cache.keep(path)
        return Engine.open(path)


def _identity(source: str) -> str:
    """Return the SHA-256 of a file. A source `irds:NAME` is returned unchanged."""
    if source.startswith("irds:"):
        return source
    path = Path(source)
    if not path.is_file():
        raise InvalidParameter("corpora source", source, "a file that exists, or irds:NAME")
    return checksum(path)


def ranking_identity(engine: Engine, config: Config) -> dict[str, object]:
    """Return the index, configuration, and code, which determine a ranking for topics and k."""
    sections = config.to_dict()
    # The fingerprint covers the index settings, and the name does not affect the ranking.
    for what in ("name", "index"):
        del sections[what]
    return {
        "index": engine.info.fingerprint,
        "config": sections,
        "software": software("engine", "indexer", "ranking"),
    }
