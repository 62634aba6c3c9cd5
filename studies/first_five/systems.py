"""The systems whose first five are compared, each with the quality model its index needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.engine.results.results import Hit
from argsearch.indexer.build.build import BuildRequest, build

FIRST = 5
"""Places that are looked at."""
SHORT = 15
"""Words under which a text counts as short."""
STAGE = ("rerank.stages=['quality']", "rerank.depth=20")


@dataclass(frozen=True)
class System:
    """A ranking: the index' quality model, the configuration, and what is set otherwise."""

    model: str
    config: str
    overrides: Sequence[str] = ()


SYSTEMS: Mapping[str, System] = {
    "dirichlet": System("default", "dirichlet"),
    "default": System("default", "default"),
    "default, quality model words": System("words", "default"),
    "default, and rank among the first 20": System("default", "default", STAGE),
    "the same, quality model words": System("words", "default", STAGE),
}


class Rankings:
    """Open indexes of one corpus, one for each quality model."""

    def __init__(self, engines: Mapping[str, Engine]) -> None:
        self._engines = engines

    def first(self, system: System, question: str, side: str | None = None) -> list[Hit]:
        """A system's first five, all or of one side."""
        engine = self._engines[system.model]
        found = engine.search(
            question, k=FIRST, config=system.config, overrides=system.overrides, side=side
        )
        return list(found.hits)


@contextmanager
def rankings(corpus: Path) -> Iterator[Rankings]:
    """Index a corpus with each quality model, for as long as it is asked."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        engines = {}
        for model in dict.fromkeys(system.model for system in SYSTEMS.values()):
            settings = load_config("default", [f"index.quality_model={model}"]).index
            build(BuildRequest([str(corpus)], Path(folder) / model, settings))
            engines[model] = stack.enter_context(Engine.open(Path(folder) / model))
        yield Rankings(engines)


def is_short(hit: Hit) -> bool:
    """Whether a text has fewer words than `SHORT`."""
    return len(hit.argument.premise.split()) < SHORT
