"""Finds the models that a user names."""

from __future__ import annotations

import os
from pathlib import Path


def model_path(spec: str) -> Path:
    """Return a model's path; a relative path is tried in ARGSEARCH_MODELS first, then as given."""
    path = Path(spec).expanduser()
    kept = Path(os.environ.get("ARGSEARCH_MODELS", "")) / path
    return kept if kept.exists() else path
