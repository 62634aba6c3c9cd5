"""What is known of an open index apart from any question, computed once, when first asked for."""

from __future__ import annotations

from functools import cached_property

from engine.backends.base import Backend
from engine.backends.embedded.backend import EmbeddedBackend
from engine.showing import mapping
from engine.showing.knowing import two_sided
from engine.showing.suggesting import Suggestions, conclusions


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
        backend = self._backend
        return Suggestions(conclusions(backend)) if isinstance(backend, EmbeddedBackend) else None

    @cached_property
    def clusters(self) -> tuple[mapping.Cluster, ...]:
        """The topical clusters as the map has them; none on a search server."""
        backend = self._backend
        return mapping.clusters(backend) if isinstance(backend, EmbeddedBackend) else ()
