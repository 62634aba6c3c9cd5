"""The server's log, with messages as text, or with messages and requests as JSON lines.

Questions, and ids in addresses, reveal people's interests, so they are logged only if configured. A
client's address is never logged.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson
from starlette.types import Scope

LOG_FORMS = ("text", "json")
_log = logging.getLogger("argsearch")


@dataclass(frozen=True)
class Log:
    """Configuration of the server's log."""

    form: str = "text"
    """`text` logs only errors; `json` also logs a line for every request."""
    questions: bool = False
    """If true, request lines contain the full address, including the question."""

    @property
    def requests(self) -> bool:
        """True if every request is logged."""
        return self.form == "json"

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Log an answered request."""
        line = {
            "request_id": scope.get("request_id"),
            "method": scope["method"],
            "route": getattr(scope.get("route"), "path", "other"),
            "status": status,
            "milliseconds": round(seconds * 1000, 3),
        }
        engine = scope.get("engine")
        if engine is not None:
            line["fingerprint"] = engine.info.fingerprint
        if self.questions:
            line["path"] = scope["path"]
            line["query"] = scope["query_string"].decode("utf-8", "replace")
        _log.info("request", extra={"members": line})

    def install(self) -> None:
        """Send all log messages to standard error in this form."""
        handler = logging.StreamHandler()
        _log.setLevel(logging.INFO)
        if self.form == "json":
            handler.setFormatter(_Lines())
            logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
        else:
            _log.handlers, _log.propagate = [handler], False


QUIET = Log()


class _Lines(logging.Formatter):
    """Formatter that writes a log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without its line break."""
        line: dict[str, Any] = {
            "time": now(),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "members", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(line).decode()


def now() -> str:
    """Return the current time in ISO 8601, in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
