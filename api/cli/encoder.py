"""`argsearch encoder …`: gets sentence encoders for `onnx:`."""

from __future__ import annotations

from pathlib import Path

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Quiet, argument, group, option


def fetch(
    name: str = argument("NAME", "The model's name on the hub, as owner/model."),
    out: Path | None = option(
        "--out FOLDER",
        "Where to put it; by default the hub's cache, where onnx:NAME finds it.",
        None,
    ),
    file: str = option(
        "--file FILE",
        "Which of the hub's ONNX files; another one is named onnx:FOLDER/FILE.",
        "onnx/model.onnx",
    ),
    quiet: Quiet = False,
) -> None:
    """Get a sentence encoder in ONNX form from the hub: only the files that `onnx:` reads.

    What is there already is not fetched again, and a file that was cut off goes on.

    Example: argsearch encoder fetch sentence-transformers/all-MiniLM-L6-v2 --out minilm
    """
    from argsearch.indexer.encoders.onnx import fetch as fetch_model

    folder = fetch_model(name, out, file, quiet)
    terminal.say(f"{folder}: index with --set index.encoder=onnx:{out or name}", quiet=quiet)


encoder = group("Get sentence encoders.", fetch)
"""The group of commands."""
