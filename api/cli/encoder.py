"""`argsearch encoder …`: gets and makes sentence encoders for `onnx:`."""

from __future__ import annotations

from functools import partial
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


def export(
    folder: Path = argument("FOLDER", "A sentence-transformers model's folder."),
    out: Path = option("--out FOLDER", "The folder to write; it must not exist.", ...),
    int8: bool = option("--int8", "Quantise the weights to int8.", False),
    quiet: Quiet = False,
) -> None:
    """Write a sentence encoder in ONNX form, from torch's form or a fetched one, also in int8.

    Example: argsearch encoder export minilm --int8 --out minilm-int8
    """
    from argsearch.indexer.encoders.exporting import export as export_model

    encoder = export_model(folder, out, int8, partial(terminal.say, quiet=quiet))
    terminal.say(
        f"{out}: vectors of {encoder.dimensions} numbers; index with "
        f"--set index.encoder={encoder.name}",
        quiet=quiet,
    )


encoder = group("Get and make sentence encoders.", fetch, export)
"""The group of commands."""
