"""The indexes of an experiment: built once for a corpus and [index] settings, then opened."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from argsearch.engine.config import Config
from argsearch.engine.engine import Engine
from argsearch.indexer.build.build import BuildRequest, build, workers_for
from argsearch.indexer.corpus import OnError
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.manifest import (
    INDEX_FORMAT,
    IndexDamaged,
    IndexFormatUnsupported,
    checksum,
)
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.quality import load_quality_model
from argsearch.lab.experiment.cache import Cache, digest, software
from argsearch.lab.experiment.plan import Corpus


class Observer(Protocol):
    """Who is told how far an experiment is."""

    def update(self, stage: str, done: int) -> None:
        """`done` units of a stage are done."""

    def note(self, message: str) -> None:
        """Something a reader should know."""


@dataclass
class Indexes:
    """Engines by corpus and [index] settings, each opened once."""

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
        if key not in self._open:
            self._open[key] = (
                Engine.open(corpus.index) if corpus.index else self._built(corpus, config, key)
            )
        return self._open[key]

    def close(self) -> None:
        """Release every index."""
        for engine in self._open.values():
            engine.close()
        self._open.clear()

    def _key(self, corpus: Corpus, settings: IndexSettings) -> str:
        if corpus.name not in self._corpora:
            self._corpora[corpus.name] = digest({"sources": [_identity(s) for s in corpus.source]})
        return digest(
            {
                "corpus": self._corpora[corpus.name],
                "on_error": corpus.on_error,
                "settings": asdict(settings),
                "format": INDEX_FORMAT,
                **_builder(settings),
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
        self._build(corpus, path, config)
        self.cache.keep(path)
        return Engine.open(path)

    def _build(self, corpus: Corpus, out: Path, config: Config) -> None:
        workers = workers_for(corpus.source) if self.workers is None else self.workers
        on_error: OnError = "skip" if corpus.on_error == "skip" else "stop"
        request = BuildRequest(corpus.source, out, config.index, config.name, on_error, workers)
        build(request, self.observer.update)


def _builder(settings: IndexSettings) -> dict[str, str]:
    """What beside corpus and settings decides what an index holds: software, quality model."""
    spec = settings.quality_model
    model = "none" if spec == "none" else load_quality_model(spec).sha256
    return {"software": software("indexer", "ranking"), "quality_model": model}


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
    sections = asdict(config)
    return {
        "index": engine.info.fingerprint,
        "config": {name: sections[name] for name in ("retrieval", "boost", "rerank")},
        "software": software("engine", "indexer", "ranking"),
    }
