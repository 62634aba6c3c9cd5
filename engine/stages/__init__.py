"""Stages that re-rank the top hits after retrieval, one per file (two distances share one).

To add a stage, add a file here and a line in STAGES, or write a plug-in. The configuration section
[rerank.NAME], HTTP's `rerank`, `argsearch pipeline` and the key reference then include it.
"""

from argsearch.engine.stages.base import Candidates, Stage, Step
from argsearch.engine.stages.distances import Structural, WordMovers
from argsearch.engine.stages.external import External
from argsearch.engine.stages.fusion import Fusion
from argsearch.engine.stages.graph import Graph
from argsearch.engine.stages.mmr import MMR
from argsearch.engine.stages.premises import PremiseFactor
from argsearch.engine.stages.quality import RelativeQuality
from argsearch.ranking import plugins

_OWN = (MMR, Structural, WordMovers, RelativeQuality, Graph, External)
STAGES: dict[str, type[Stage]] = plugins.Registry("stages", {stage.name: stage for stage in _OWN})
"""All stages that `rerank.stages` can name."""

__all__ = ["STAGES", "Candidates", "Fusion", "PremiseFactor", "Stage", "Step"]
