"""What is known of an open index apart from any question, computed once, when first asked for."""

from __future__ import annotations

from functools import cached_property

from argsearch.engine.backends.base import Backend
from argsearch.engine.overview import map as mapping
from argsearch.engine.overview.examples import two_sided
from argsearch.engine.overview.suggestions import Suggestions, conclusions


class Known:
    """One index' sides, conclusions and clusters."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @cached_property
    def two_sided(self) -> bool:
        """Whether some arguments are for their conclusions and others against."""
        return two_sided(self._backend)

    @cached_property
    def suggestions(self) -> Suggestions | None:
        """The index's conclusions, to be suggested; None on a search server."""
        directory = self._backend.directory
        return None if directory is None else Suggestions(conclusions(directory))

    @cached_property
    def clusters(self) -> tuple[mapping.MapCluster, ...]:
        """The topical clusters as the map has them; none on a search server."""
        directory = self._backend.directory
        return () if directory is None else mapping.clusters(directory)
