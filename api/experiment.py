"""Experiments with indexing: what the engine alone cannot build is built here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from argsearch.engine.config import Config
from argsearch.indexer.corpus import OnError
from argsearch.indexer.format.settings import IndexSettings
from argsearch.lab.experiment import Outcome, read_plan
from argsearch.lab.experiment import run_experiment as run_plan
from argsearch.lab.experiment.cache import Cache, software
from argsearch.lab.experiment.indexes import Observer
from argsearch.lab.experiment.plan import Corpus


@dataclass(frozen=True)
class CorpusIndexing:
    """Builds an experiment's indexes with `argsearch.indexer.build.build`."""

    workers: int | None = None
    """Processes; None: chosen as `argsearch index` does."""

    def identity(self, settings: IndexSettings) -> Mapping[str, str]:
        """The indexing code, and the checksum of the quality model."""
        from argsearch.indexer.quality import load_quality_model

        spec = settings.quality_model
        model = "none" if spec == "none" else load_quality_model(spec).sha256
        return {"software": software("indexer", "ranking"), "quality_model": model}

    def build(
        self, corpus: Corpus, out: Path, config: Config, progress: Callable[[str, int], None]
    ) -> None:
        """Build the index of a corpus with a configuration's [index] settings."""
        from argsearch.indexer.build.build import BuildRequest, build, workers_for

        workers = workers_for(corpus.source) if self.workers is None else self.workers
        on_error: OnError = "skip" if corpus.on_error == "skip" else "stop"
        request = BuildRequest(corpus.source, out, config.index, config.name, on_error, workers)
        build(request, progress)


def run_experiment(
    source: str | Path,
    *,
    out: str | Path | None = None,
    cache: str | Path | None = None,
    fresh: bool = False,
    workers: int | None = None,
    observer: Observer | None = None,
) -> Outcome:
    """Run the experiment of a TOML file (or a shipped one by name), as `argsearch experiment`.

    `fresh` computes everything anew. See
    `argsearch.lab.experiment.run_experiment` for `out` and `cache`.
    """
    kept = Cache(Path(cache or ".cache/experiments"), fresh=fresh)
    target = Path(out) if out else None
    plan = read_plan(source)
    return run_plan(plan, CorpusIndexing(workers), out=target, cache=kept, observer=observer)
