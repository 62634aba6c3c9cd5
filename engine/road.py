"""The path from a question to its answer, which is the same for every unit.

SearchRequest → Unit.retrieve → Candidates → stages → collapsed, sided or cut → Results
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from argsearch.engine.cached import cached_property
from argsearch.engine.parameters import LARGEST_PAGE
from argsearch.engine.query.facets import tallied
from argsearch.engine.query.sort import in_order
from argsearch.engine.results.collapse import collapsed
from argsearch.engine.results.quotes import TWO_SIDES
from argsearch.engine.results.results import Hits, Results
from argsearch.engine.results.spread import spread
from argsearch.engine.stages import Candidates, Stage
from argsearch.engine.stages.base import ENCODER_NEEDS, staged
from argsearch.engine.units import SearchRequest, Unit
from argsearch.indexer.errors import InvalidParameter

if TYPE_CHECKING:
    from argsearch.engine.backends.base import Backend
    from argsearch.engine.config import Config, Meaning
    from argsearch.engine.query.facets import Facets
    from argsearch.engine.stance.sides import Sided

CACHED_QUESTIONS = 64
"""Number of questions whose first hits and sides are cached."""
BOTH = "both"
"""Value of `side` that requests one list for each side."""


class Road:
    """Answers requests for one unit of an open index."""

    def __init__(self, unit: Unit, backend: Backend) -> None:
        self.unit, self.backend = unit, backend
        self._remembered = lru_cache(CACHED_QUESTIONS)(self._side)
        self._narrowed = lru_cache(CACHED_QUESTIONS)(self._on_question)

    def answer(self, request: SearchRequest) -> Results:
        """Return the answer to a request, or raise InvalidParameter if the request is invalid."""
        begun = time.perf_counter()
        typed, request = request.text, self.unit.read(request)
        if request.collapse:
            self.backend.part("near_duplicates")  # raises an error that says how to add it
        # The list of all matches, and the unclear ones, have facets of all matches.
        narrow = request.discriminative and (request.order or request.side in (BOTH, *TWO_SIDES))
        columns = request.facets if narrow else ()
        if columns:
            request = replace(request, facets=())
        known = self._sided(request) if request.sides or request.side is not None else None
        counted, said = self._counted(request, known) if columns else (None, "")
        spreading = request.spread and request.order is None

        def find(page: slice) -> Candidates:
            """Return a page of the requested list before `spread` reorders it."""
            if known is not None:
                return known.page(None if request.side == BOTH else request.side, page)
            if counted is not None:
                return counted.take(page, counted.kept)
            same, k = page == request.page, page.stop - page.start
            return self.ranked(request if same else replace(request, offset=page.start, k=k))

        page = spread(find, request.page, spreading)
        counts = None if counted is None else self._counts(counted, columns)
        results = Results(
            query=typed if isinstance(typed, str) else page.question,
            hits=Hits(page, self.unit.name, request.offset, known),
            config=request.config,
            fingerprint=self.backend.info.fingerprint,
            milliseconds=(time.perf_counter() - begun) * 1000.0,
            notes=page.notes + ((f"{said} counted",) if said else ()),
            _counts=counts,
            collapsed=request.collapse,
            spread=spreading,
            sort=request.order,
            sided=known,
            claiming=lambda: self._claiming,
        )
        if request.side != BOTH:
            return results
        asked = {"k": request.k, "offset": request.offset}
        return replace(results, lists={s: results.on(s, **asked) for s in TWO_SIDES})

    def ranked(self, request: SearchRequest) -> Candidates:
        """Return a page of hits after all stages, with near-duplicates collapsed if requested."""
        page = request.page
        if request.discriminative and (request.order or self.unit.name != "arguments"):
            found = self._narrow(replace(request, offset=0))
            return found.take(page, found.kept)
        if request.collapse:
            plain = replace(request, offset=0, collapse=False)
            return collapsed(lambda k: self.ranked(replace(plain, k=k)), page)
        if request.once and self.unit.repeats:
            # It is unknown how many rows share an id, so the page is cut from all rows.
            found = self.ranked(replace(request, offset=0, once=False, k=LARGEST_PAGE))
            return found.take(np.sort(np.unique(np.array(found.ids), return_index=True)[1])[page])
        stages = () if request.order is not None else self._stages(request)
        if not stages:
            return self.unit.retrieve(request)
        # Every page re-ranks the same hits. Otherwise pages would overlap and miss some hits.
        deepest = min(LARGEST_PAGE, max([page.stop, *(depth for _, depth in stages)]))
        found = self.unit.retrieve(replace(request, offset=0, k=deepest))
        # Arguments found by meaning are past the first stages, because the unit fuses them.
        return staged(found, stages[len(found.traces) :]).take(page)

    def _counted(self, request: SearchRequest, known: Sided | None) -> tuple[Candidates, str]:
        """Return the arguments on the question, and a note's beginning unless the hits have one."""
        from argsearch.engine.results import on_question as reading

        if known is None:
            return self._narrow(replace(request, offset=0)), ""
        if request.order is not None:
            return known.page(None, slice(None)), ""
        return reading.about(known, reading.SORTED_PROBABILITY, reading.FEW_ON_QUESTION)

    def _counts(self, found: Candidates, names: Sequence[str]) -> Facets:
        values, columns = found.source.columns(found.rows), self.unit.engine.columns
        return {name: tallied(columns[name], values[name]) for name in names}

    def _narrow(self, request: SearchRequest) -> Candidates:
        """Return `_on_question`, cached because a page and its lists request the same hits."""
        find = self._narrowed if self.backend.is_local else self._on_question
        return find(replace(request, k=1, side=None, sides=False, spread=False))

    def _on_question(self, request: SearchRequest) -> Candidates:
        """Return those of the first DEPTH hits that are about the question, in the requested order.

        Each pair and premise appears once, and each conclusion has one pair. A column sorts only
        these arguments, since a text that shares one word with the question may have the largest
        value of all matches. If there are fewer than FEW_ON_QUESTION, all DEPTH are sorted.
        """
        from argsearch.engine.results import on_question as reading
        from argsearch.engine.stance.sides import DEPTH, Sided

        of_arguments, order = self.unit.name == "arguments", request.order
        best = self.ranked(replace(request, discriminative=of_arguments, order=None, k=DEPTH))
        notes, sided = best.notes, Sided(request.question, best, claiming=self._claiming)
        if of_arguments:
            kept, said = reading.about(sided, reading.SORTED_PROBABILITY, reading.FEW_ON_QUESTION)
        else:
            once = self.unit.name == "pairs"
            kept, said = reading.about(sided, reading.LISTED_PROBABILITY, claims_once=once)
            left = f"{len(best) - len(kept)} of the first {len(best)} results are left out"
            notes += (f"{left}, because they are off topic or repeat others",)
        if order is not None:
            values = kept.source.columns(kept.rows)[order.column]
            kept = kept.take(in_order(values, order.falling))
            notes += (f"{said} sorted by {order.column}",) if said else ()
        return replace(kept, kept=len(kept), notes=notes)

    def _stages(self, request: SearchRequest) -> tuple[tuple[Stage, int], ...]:
        """Return all stages for arguments; for other units only those of [rerank], without Eq. 1.

        Raises InvalidParameter if a stage of [rerank] needs something that the index lacks.
        """
        config = request.config
        for stage, _ in config.reranking if self.backend.info.encoder == "none" else ():
            if not ENCODER_NEEDS.isdisjoint(stage.needs):
                problem = f"the stage {stage.name} needs an encoder, but the index has none"
                raise InvalidParameter("rerank.stages", stage.name, "none", problem)
        return config.stages if self.unit.name == "arguments" else config.reranking

    def _sided(self, request: SearchRequest) -> Sided:
        """Return the top hits with their sides, cached because pages request one side at a time."""
        from argsearch.engine.stance.sides import DEPTH

        depth = max(DEPTH, request.page.stop) if request.side in (None, BOTH) else DEPTH
        # A server's index may change while it is open, but an index directory is only replaced.
        find = self._side if not self.backend.is_local else self._remembered
        # One entry serves the balance and both lists, which a page requests in turn.
        plain = replace(request, text=request.question, side=None, sides=False, spread=False)
        return find(replace(plain, k=depth, offset=0))

    def _side(self, request: SearchRequest) -> Sided:
        from argsearch.engine.stance.sides import sided

        def found(config: Config) -> Callable[[str], Candidates]:
            return lambda text: self.ranked(replace(request, text=text, config=config))

        config, near = request.config, None
        if config.stance.near and request.order is None and self._tells_near(config):
            # The user's configuration has no weights for search by meaning.
            depth = max(self._shipped.depth, config.boost.premises_depth)
            near = found(replace(config, meaning=replace(self._shipped, depth=depth)))
        how = {"claiming": self._claiming, "ranked": request.order is None}
        return sided(request.question, found(config), near, model=config.stance.model, **how)

    @cached_property
    def _shipped(self) -> Meaning:
        from argsearch.engine.config import load_config

        return load_config("meaning").meaning

    def _tells_near(self, config: Config) -> bool:
        """Return True if search by meaning can add hits to those found by words.

        False if the index has the part `meaning`: a search without that part wants only words.
        """
        words = self.unit.name == "arguments" and not config.meaning.weight
        return words and "meaning" not in self.backend.parts and self.backend.tells_near

    @cached_property
    def _claiming(self) -> bool:
        from argsearch.engine.stance.sides import claiming

        return claiming(self.backend.contents)
