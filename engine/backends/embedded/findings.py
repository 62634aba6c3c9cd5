"""Results of any unit, read from an index directory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stages.base import Findings, Floats, Ints
from argsearch.indexer.corpus.argument import Argument

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.directory import IndexDirectory


@dataclass(frozen=True)
class LocalFindings(Findings):
    """Rows that each come from one document of an index directory."""

    backend: IndexDirectory = field(repr=False)

    def docs(self, rows: Ints) -> NDArray[np.integer]:
        """Return the document number of each row."""
        raise NotImplementedError

    def ids(self, rows: Ints) -> list[str]:
        """Return the ids of the documents."""
        return [self.backend.ids[doc] for doc in self.docs(rows).tolist()]

    def argument(self, row: int) -> Argument:
        """Return the document."""
        return self.backend.store[int(self.docs(np.array([row]))[0])]

    def concerning(self, about: Any, rows: Ints) -> dict[str, Floats]:
        """Return how close the documents are to the subject of a question (`Prototype`)."""
        return self.backend.meaning.concerning(about, self.docs(rows))

    def qualities(self, rows: Ints) -> Floats:
        """Return Q of the documents."""
        return np.asarray(self.backend.arrays.quality[self.docs(rows)], np.float64)

    def columns(self, rows: Ints) -> dict[str, list[float | str | None]]:
        """Return the documents' column values."""
        docs = self.docs(rows)
        return {name: values.of(docs) for name, values in self.backend.columns.items()}
