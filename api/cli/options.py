"""Arguments and options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

Index = Annotated[
    str,
    typer.Option(
        "--index",
        metavar="INDEX",
        help="The index: a directory, or http(s)://host:port/name.",
    ),
]
Config = Annotated[
    str,
    typer.Option(
        "--config",
        metavar="CONFIG",
        help="The configuration: a shipped name, or a path to a .toml file.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        help="Override one value of the configuration; may be repeated.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="'COLUMN OPERATOR VALUE'",
        help="Only arguments whose column is so, such as 'quality >= .6' or source=debate.org; "
        "repeated, all have to hold. `argsearch info` lists an index's columns.",
    ),
]
Sort = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN|-COLUMN",
        help="In the order of a column of numbers, such as date; - before it for falling.",
    ),
]
Facets = Annotated[
    list[str] | None,
    typer.Option(
        "--facet",
        metavar="COLUMN",
        help="Count all matches by a column, such as stance or words; may be repeated.",
    ),
]
Unit = Annotated[
    str,
    typer.Option(
        "--unit", metavar="UNIT", help="What is ranked: arguments, or what the index has parts for."
    ),
]
TopicField = Annotated[
    str,
    typer.Option(
        "--field",
        metavar="title|description|narrative",
        help="The text of a topic that is searched for; the title where it is absent.",
    ),
]
Depth = Annotated[int, typer.Option("-k", metavar="K", help="Arguments a topic, at most.")]
Tag = Annotated[
    str | None,
    typer.Option("--tag", metavar="T", help="The run's tag; argsearch-CONFIG by default."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", help="No progress and no messages on standard error.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        help="Processes to work with; by default chosen from the input's size and the cores.",
    ),
]
