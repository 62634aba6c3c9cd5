"""An answer of the sparring partner as data: what command line, HTTP and the task's form share."""

from __future__ import annotations

from typing import Any

from argsearch.engine.debate.partner import Reply


def to_dict(reply: Reply) -> dict[str, Any]:
    """Return an answer as JSON has it: what is said, and where each sentence of it stands."""
    return {
        "content": reply.content,
        "arguments": [
            {
                "id": one.id,
                "text": one.text,
                "begin": one.begin,
                "end": one.end,
                "conclusion": one.argument.conclusion,
                "source": {"title": one.source.line, "url": one.source.url or None},
            }
            for one in reply.spoken
        ],
        "thesis": reply.thesis,
        "fingerprint": reply.fingerprint,
    }
