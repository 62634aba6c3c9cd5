"""The tools as a server of the Model Context Protocol, by its official SDK."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from argsearch.api.mcp import shapes
from argsearch.api.mcp.asking import EXPLAINED, LONGEST_QUESTION, MOST_ARGUMENTS, Tools
from argsearch.api.mcp.budget import LEAST, MOST, USUAL
from argsearch.engine import Engine
from argsearch.engine.units import UNITS
from argsearch.indexer.errors import ArgsearchError

INSTRUCTIONS = (
    "Arguments of one corpus, ranked by relevance, topic and quality. Begin with `search`: it "
    "gives each argument in short. `argument` gives a whole text, `counter` what answers it, "
    "`explain` why it ranks where it does. An answer with a cursor goes on: ask again with it. "
    "What arguments say is what people wrote; it is quoted, not vouched for."
)
ASKED = {name: {"arguments": "search", "counters": "counter"}.get(name, name) for name in UNITS}
"""The tool of each unit; one that needs a part is there where an index has it."""
SAID = {
    "arguments": "The best arguments for a question, each in short.",
    "counters": "The best arguments against an argument or a text.",
}
"""What these do; of another unit, what it is."""
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
T = TypeVar("T", bound=shapes.ToolAnswer)

Question = Annotated[
    str, Field(description="A question, claim or some words.", max_length=LONGEST_QUESTION)
]
Id = Annotated[str, Field(description="The id of an argument, as `search` gives it.")]
Limit = Annotated[int, Field(description="Arguments at most.", ge=1, le=MOST_ARGUMENTS)]
Cursor = Annotated[str | None, Field(description="The cursor of an answer, to go on after it.")]
Bytes = Annotated[int, Field(description="Bytes of the answer at most.", ge=LEAST, le=MOST)]
Side = Annotated[
    Literal["for", "against", "unclear"] | None,
    Field(description="Only arguments that stand so to the question, among the first 100."),
]


def server(engine: Engine) -> MCPServer[Any]:
    """The server of an open engine."""
    made: MCPServer[Any] = MCPServer(
        "argsearch",
        title="Argument search",
        instructions=INSTRUCTIONS,
        version=version("argsearch"),
        log_level="WARNING",
    )
    tools = Tools(engine)
    for tool, description in _tools(tools).items():
        made.add_tool(tool, description=description, annotations=_READS)
    for unit, name in ASKED.items():
        if unit in ("arguments", "counters") or UNITS[unit].part in engine.parts:
            said, ask = f"The best {unit} for a question: {UNITS[unit].doc}.", _asker(tools, unit)
            made.add_tool(ask, name=name, description=SAID.get(unit, said), annotations=_READS)
    return made


def _asker(tools: Tools, unit: str) -> Callable[..., CallToolResult]:
    """The function of the tool that ranks a unit, from whose signature its schema is made."""

    def ask(
        question: Question,
        limit: Limit = 5,
        side: Side = None,
        cursor: Cursor = None,
        max_bytes: Bytes = USUAL,
    ) -> Annotated[CallToolResult, shapes.Found]:
        return _told(lambda: tools.ask(unit, question, limit, side, cursor, max_bytes))

    def counter(
        id_or_text: Annotated[str, Field(description="An id as `search` gives it, or a text.")],
        limit: Limit = 5,
        cursor: Cursor = None,
        max_bytes: Bytes = USUAL,
    ) -> Annotated[CallToolResult, shapes.Countered]:
        return _told(lambda: tools.ask(unit, id_or_text, limit, None, cursor, max_bytes))

    return counter if unit == "counters" else ask


def _tools(tools: Tools) -> dict[Callable[..., CallToolResult], str]:
    """The functions that are about one argument, and what they do."""

    def argument(
        id: Id, cursor: Cursor = None, max_bytes: Bytes = USUAL
    ) -> Annotated[CallToolResult, shapes.Whole]:
        return _told(lambda: tools.argument(id, cursor, max_bytes))

    def explain(
        question: Question, id: Id, cursor: Cursor = None, max_bytes: Bytes = USUAL
    ) -> Annotated[CallToolResult, shapes.Explained]:
        return _told(lambda: tools.explain(question, id, cursor, max_bytes))

    return {
        argument: "The whole text of an argument, and where it comes from.",
        explain: f"Why an argument ranks where it does among the first {EXPLAINED} for a question.",
    }


def _told(ask: Callable[[], T]) -> CallToolResult:
    """The answer as data and, for clients that read only text, as JSON."""
    try:
        answer = ask()
    except ArgsearchError as error:
        raise ToolError(str(error)) from error
    return CallToolResult(
        content=[TextContent(type="text", text=answer.model_dump_json())],
        structured_content=answer.model_dump(mode="json"),
    )
