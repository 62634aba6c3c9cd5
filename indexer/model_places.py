"""Where models that a user names are looked for."""

from __future__ import annotations

import os
from pathlib import Path


def model_path(spec: str) -> Path:
    """Where a model's file or folder is: a relative one in ARGSEARCH_MODELS, else from here."""
    path = Path(spec).expanduser()
    kept = Path(os.environ.get("ARGSEARCH_MODELS", "")) / path
    return kept if kept.exists() else path
