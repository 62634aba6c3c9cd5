"""The tools as a server of the Model Context Protocol, by its official SDK."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from inspect import signature
from typing import Annotated, Any, cast

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations

from argsearch.api.mcp import shapes
from argsearch.api.mcp.asking import EXPLAINED, Tools
from argsearch.api.mcp.budget import USUAL
from argsearch.api.serialise import question_for, units_of
from argsearch.engine import Engine
from argsearch.engine.units import UNITS
from argsearch.indexer.errors import ArgsearchError

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
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


def server(engine: Engine) -> MCPServer[Any]:
    """Return the server of an open engine."""
    made: MCPServer[Any] = MCPServer(
        "argsearch",
        title="Argument search",
        instructions=INSTRUCTIONS,
        version=version("argsearch"),
        log_level="WARNING",
    )
    tools = Tools(engine)
    made.add_tool(_told(tools.argument), description=ARGUMENT, annotations=_READS)
    made.add_tool(_told(tools.explain), description=EXPLAIN, annotations=_READS)
    for unit in dict.fromkeys((*units_of(engine), UNITS["counters"])):
        name, said = NAMED.get(unit.name, (unit.name, question_for(unit)))
        made.add_tool(_asker(tools, unit.name), name=name, description=said, annotations=_READS)
    return made


def _asker(tools: Tools, unit: str) -> Callable[..., CallToolResult]:
    """Return the tool that ranks a unit; from its signature its schema is made."""

    def ask(
        question: shapes.Question,
        limit: shapes.Limit = 5,
        side: shapes.ReadSide = None,
        cursor: shapes.Cursor = None,
        max_bytes: shapes.Bytes = USUAL,
    ) -> shapes.Found:
        """Return the best things for a question."""
        return cast(shapes.Found, tools.ask(unit, question, limit, side, cursor, max_bytes))

    def counter(
        id_or_text: shapes.IdOrText,
        limit: shapes.Limit = 5,
        cursor: shapes.Cursor = None,
        max_bytes: shapes.Bytes = USUAL,
    ) -> shapes.Countered:
        """Return what answers an argument or a text."""
        asked = tools.ask(unit, id_or_text, limit, None, cursor, max_bytes)
        return cast(shapes.Countered, asked)

    return _told(counter if unit == "counters" else ask)


def _told(ask: Callable[..., shapes.ToolAnswer]) -> Callable[..., CallToolResult]:
    """Return a tool that tells the answer as data and, for clients that read only text, as JSON."""

    @wraps(ask)
    def told(**given: Any) -> CallToolResult:
        """Return what the tool answers, or raise what a model can read."""
        try:
            answer = ask(**given)
        except ArgsearchError as error:
            raise ToolError(str(error)) from error
        return CallToolResult(
            content=[TextContent(type="text", text=answer.model_dump_json())],
            structured_content=answer.model_dump(mode="json"),
        )

    of = signature(ask, eval_str=True)
    returned = Annotated[CallToolResult, of.return_annotation]
    told.__signature__ = of.replace(return_annotation=returned)  # type: ignore[attr-defined]
    return told
