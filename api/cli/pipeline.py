"""`argsearch pipeline`: the stages of a configuration as a picture in text."""

from __future__ import annotations

from typing import Annotated

from argsearch.api.cli import options


def pipeline(
    config: Annotated[
        str,
        options.argument("CONFIG", "The configuration: a shipped name, or a path to a .toml file."),
    ] = "default",
    settings: options.Settings = None,
) -> None:
    """Show what a configuration does with a question, stage by stage.

    Example: argsearch pipeline heimdall-2021 --set rerank.method=mmr
    """
    from argsearch.engine.config import describe, load_config

    print(describe(load_config(config, tuple(settings or ()))))
