"""Predicted argument quality (H21, Q): models behind one protocol, loaded from checked files.

model = load_quality_model("default")
model.predict(["Premises, joined by a space."])      # float32[1] in [0, 1]
"""

from __future__ import annotations

from argsearch.indexer.quality.loading import load_quality_model
from argsearch.indexer.quality.protocol import SCALES, NoQuality, QualityModel, scale_quality

__all__ = ["SCALES", "NoQuality", "QualityModel", "load_quality_model", "scale_quality"]
