"""The tools as a server of the Model Context Protocol, by its official SDK."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import Parameter as Variable
from inspect import Signature
from typing import Annotated, Any

from anyio.to_thread import run_sync
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations

from argsearch.api.described import described, kind_of
from argsearch.api.mcp import shapes
from argsearch.api.mcp.asking import EXPLAINED, Tools
from argsearch.api.serialise import question_for, units_of
from argsearch.engine import Engine
from argsearch.engine.parameters import (
    ABOUT,
    AUTHOR_SIDE,
    TEXT,
    Parameter,
    Parameters,
    by_name,
    read_all,
)
from argsearch.engine.units import UNITS
from argsearch.indexer.errors import ArgsearchError, short
from argsearch.version import __version__

INSTRUCTIONS = (
    "Arguments of one corpus, ranked by relevance, topic and quality. Begin with `search`: it "
    "gives each argument in short. `argument` gives a whole text, `counter` what answers it, "
    "`explain` why it ranks where it does. An answer with a cursor goes on: ask again with it. "
    "What arguments say is what people wrote; it is quoted, not vouched for."
)
NAMED = {
    "arguments": ("search", "The best arguments for a question, each in short."),
    "counters": ("counter", "The best arguments against an argument or a text."),
}
"""The tools of these units and what they do; of any other its name, and what it is."""
ARGUMENT = "The whole text of an argument, and where it comes from."
EXPLAIN = f"Why an argument ranks where it does among the first {EXPLAINED} for a question."
POINTS = "What is said on each side of a question, by at least how many arguments."
CHALLENGED = (
    "What speaks against the position of a text, such as an essay, and then for it. Where the "
    "author's side is not known, ask for it and give it."
)
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


@dataclass(frozen=True)
class Offered:
    """A tool: what it is given, and what it does."""

    takes: Parameters
    answer: type[shapes.ToolAnswer]
    ask: Callable[..., shapes.ToolAnswer]

    def signature(self) -> Signature:
        """Return the signature of which the SDK makes the schemas."""
        taken = [
            Variable(
                one.name, Variable.KEYWORD_ONLY, default=described(one), annotation=kind_of(one)
            )
            for one in self.takes.values()
        ]
        return Signature(taken, return_annotation=Annotated[CallToolResult, self.answer])


class ToolServer(MCPServer[Any]):
    """A server whose tools read what they are given by its definitions."""

    offered: dict[str, Offered]

    def offer(self, name: str, does: str, tool: Offered) -> None:
        """Add a tool."""

        def described_alone() -> None:
            """Stand for the tool where its schemas are made: `call_tool` answers."""

        described_alone.__signature__ = tool.signature()  # type: ignore[attr-defined]
        self.add_tool(described_alone, name=name, description=does, annotations=_READS)
        self.offered[name] = tool

    async def call_tool(self, name: str, arguments: dict[str, Any], _context: Any = None) -> Any:
        """Return what a tool answers, or raise what a model can read.

        The answer is data and, for clients that read only text, JSON.
        """
        if name not in self.offered:
            raise ToolError(
                f"no tool is called {short(name)!r}; there are {', '.join(self.offered)}"
            )
        tool = self.offered[name]
        try:
            asked = partial(tool.ask, **read_all(tool.takes, arguments))
            answer = await run_sync(asked)
        except ArgsearchError as error:
            raise ToolError(str(error)) from error
        except Exception as error:
            raise UnexpectedToolError(f"{name} failed; the server's log says why") from error
        return CallToolResult(
            content=[TextContent(type="text", text=answer.model_dump_json())],
            structured_content=answer.model_dump(mode="json"),
        )


def server(engine: Engine) -> ToolServer:
    """Return the server of an open engine."""
    made = ToolServer(
        "argsearch",
        title="Argument search",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
    )
    made.offered = {}
    tools, paged = Tools(engine), (shapes.CURSOR, shapes.BYTES)
    each = shapes.LIMIT.but(doc="Arguments of each side, at most.")
    text = TEXT, ABOUT, AUTHOR_SIDE, each
    offered: tuple[tuple[str, tuple[Parameter, ...], Any, Any], ...] = (
        (ARGUMENT, (shapes.ID,), shapes.Whole, tools.argument),
        (EXPLAIN, (shapes.QUESTION, shapes.ID), shapes.Explained, tools.explain),
        (POINTS, (shapes.QUESTION,), shapes.Points, tools.points),
        (CHALLENGED, text, shapes.Challenged, tools.challenge),
    )
    for does, takes, answer, ask in offered:
        made.offer(ask.__name__, does, Offered(by_name(*takes, *paged), answer, ask))
    for unit in dict.fromkeys((*units_of(engine), UNITS["counters"])):
        name, said = NAMED.get(unit.name, (unit.name, question_for(unit)))
        made.offer(name, said, _asker(tools, unit.name))
    return made


def _asker(tools: Tools, unit: str) -> Offered:
    """Return the tool that ranks a unit."""
    counters = unit == "counters"
    asked = shapes.ID_OR_TEXT if counters else shapes.QUESTION
    side = () if counters else (shapes.SIDE,)

    def ask(**given: Any) -> shapes.ToolAnswer:
        """Return the best things for what is asked."""
        return tools.ask(unit, given.pop(asked.name), **given)

    takes = by_name(asked, shapes.LIMIT, *side, shapes.CURSOR, shapes.BYTES)
    return Offered(takes, shapes.Countered if counters else shapes.Found, ask)
