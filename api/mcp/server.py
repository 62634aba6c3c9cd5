"""A server that offers the tools over the Model Context Protocol, based on its official SDK."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from argsearch.api.mcp.asking import TOP_RANKS, Tools
from argsearch.api.serialise import question_for, units_of
from argsearch.engine import Engine
from argsearch.engine import parameters as p
from argsearch.engine.parameters import Parameter, Parameters, by_name, read_all
from argsearch.engine.units import UNITS
from argsearch.indexer.errors import ArgsearchError, short
from argsearch.version import __version__

INSTRUCTIONS = (
    "Arguments of one corpus, ranked by relevance, topic and quality. Begin with `search`, which "
    "returns each argument in a short form. `argument` returns a whole text, `counter` its "
    "counter-arguments, `explain` the reasons for its rank. If an answer has a cursor, pass it "
    "to get more. Arguments are quoted from people's texts; nobody has checked them."
)
UNIT_TOOLS = {
    "arguments": ("search", "Find the best arguments for a question, each in brief."),
    "counters": ("counter", "Find the best arguments against an argument or a text."),
}
"""Name and description of some units' tools. Other units use their own name and description."""
ARGUMENT = "Return the whole text of an argument, and its source."
EXPLAIN_TOOL = f"Explain an argument's rank among the first {TOP_RANKS} for a question."
POINTS_TOOL = "Find the key points on each side of a question, and how many arguments make them."
CHALLENGE_TOOL = (
    "Find arguments against and for the position of a text, such as an essay. If the "
    "author's side is unknown, ask the user for it and pass it."
)
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


class ToolServer(MCPServer[Any]):
    """An MCP server that parses the arguments of tools by their definitions in `shapes`."""

    offered: dict[str, tuple[Parameters, Callable[..., shapes.ToolAnswer]]]
    """Parameters and function of each tool."""

    def offer(
        self,
        name: str,
        does: str,
        takes: Sequence[Parameter],
        answer: type[shapes.ToolAnswer],
        ask: Callable[..., shapes.ToolAnswer],
    ) -> None:
        """Add a tool."""

        # The SDK builds schemas from this signature. Its own errors would be pydantic's lists, so
        # `call_tool` reads the arguments and reports an error in one line.
        def described_alone() -> None:
            """Hold the signature from which the tool's schemas are generated."""

        taken = [
            Variable(
                one.name, Variable.KEYWORD_ONLY, default=described(one), annotation=kind_of(one)
            )
            for one in takes
        ]
        signature = Signature(taken, return_annotation=Annotated[CallToolResult, answer])
        described_alone.__signature__ = signature  # type: ignore[attr-defined]
        self.add_tool(described_alone, name=name, description=does, annotations=_READS)
        self.offered[name] = by_name(*takes), ask

    async def call_tool(self, name: str, arguments: dict[str, Any], _context: Any = None) -> Any:
        """Return a tool's answer, or raise an error that a model can read.

        The answer is structured data, and also JSON text for clients that read only text.
        """
        if name not in self.offered:
            raise ToolError(f"there is no tool {short(name)!r}, only {', '.join(self.offered)}")
        takes, ask = self.offered[name]
        try:
            answer = await run_sync(partial(ask, **read_all(takes, arguments)))
        except ArgsearchError as error:
            raise ToolError(str(error)) from error
        except Exception as error:
            raise UnexpectedToolError(f"{name} failed; see the server's log") from error
        return CallToolResult(
            content=[TextContent(type="text", text=answer.model_dump_json())],
            structured_content=answer.model_dump(mode="json"),
        )


def server(engine: Engine) -> ToolServer:
    """Return the server for an open engine."""
    made = ToolServer(
        "argsearch",
        title="Argument search",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
    )
    made.offered = {}
    tools, paged = Tools(engine), (shapes.CURSOR, shapes.BYTES)
    question, each = shapes.QUESTION, shapes.LIMIT.but(doc="Maximum number for each side.")
    text = p.TEXT, p.ABOUT, p.AUTHOR_SIDE, each
    made.offer("argument", ARGUMENT, (shapes.ARGUMENT_ID, *paged), shapes.Whole, tools.argument)
    one = (question, shapes.ARGUMENT_ID, *paged)
    made.offer("explain", EXPLAIN_TOOL, one, shapes.Explained, tools.explain)
    made.offer("points", POINTS_TOOL, (question, *paged), shapes.Points, tools.points)
    made.offer("challenge", CHALLENGE_TOOL, (*text, *paged), shapes.Challenged, tools.challenge)
    ranked = (shapes.LIMIT, shapes.SIDE_OF_QUESTION, *paged)
    # `counter` is offered even without its part, since its error says how to get the part.
    for unit in dict.fromkeys((*units_of(engine), UNITS["counters"])):
        name, said = UNIT_TOOLS.get(unit.name, (unit.name, question_for(unit)))
        counters = unit.name == "counters"
        takes = (shapes.ID_OR_TEXT, shapes.LIMIT, *paged) if counters else (question, *ranked)
        answer = shapes.Countered if counters else shapes.Found
        made.offer(name, said, takes, answer, _ranked(tools, unit.name, takes[0].name))
    return made


def _ranked(tools: Tools, unit: str, asked: str) -> Callable[..., shapes.ToolAnswer]:
    """Return the tool that finds a unit's results for the text in the parameter named `asked`."""
    return lambda **given: tools.ask(unit, given.pop(asked), **given)
