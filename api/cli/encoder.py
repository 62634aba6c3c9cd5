"""`argsearch encoder …`: download sentence encoders for `onnx:`."""

from __future__ import annotations

from pathlib import Path

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Quiet, argument, group, option


def fetch(
    name: str = argument("NAME", "The model's name on the hub, as owner/model."),
    out: Path | None = option(
        "--out FOLDER",
        "Folder for the model; by default the hub's cache, which onnx:NAME reads.",
        None,
    ),
    file: str = option(
        "--file FILE",
        "The hub's ONNX file to use; refer to another file as onnx:FOLDER/FILE.",
        "onnx/model.onnx",
    ),
    quiet: Quiet = False,
) -> None:
    """Download a sentence encoder in ONNX format from the hub: only the files that `onnx:` reads.

    Existing files are not downloaded again, and an interrupted download is resumed.

    Example: argsearch encoder fetch sentence-transformers/all-MiniLM-L6-v2 --out minilm
    """
    from argsearch.indexer.encoders.onnx import fetch as fetch_model

    folder = fetch_model(name, out, file, quiet)
    terminal.say(f"{folder}: index with --set index.encoder=onnx:{out or name}", quiet=quiet)


encoder = group("Download sentence encoders.", fetch)
"""The command group."""
