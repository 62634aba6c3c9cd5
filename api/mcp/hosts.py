"""Configuration files of MCP hosts: programs that start our server for a language model."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.output import writing
from argsearch.indexer.server.address import is_address

HOSTS = {
    "claude": ("Claude/claude_desktop_config.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": ("Code/User/mcp.json", "servers"),
}
"""The configuration file of each host, and its key that lists the servers."""
ENTRY = "argsearch"
BY_HAND = "correct it, or add the server by hand as docs/tools.md shows"


class UnreadableConfiguration(ArgsearchError):
    """Raised if a host's file is not a JSON object, so that nothing can be added."""


def place(host: str) -> Path:
    """Return the user's configuration file for one of the HOSTS."""
    name, home = HOSTS[host][0], Path.home()
    if name.startswith("."):
        return home / name
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / name
    # Windows sets APPDATA for every user.
    own = os.environ.get("APPDATA") if os.name == "nt" else os.environ.get("XDG_CONFIG_HOME")
    return Path(own or home / ".config") / name


def install(host: str, index: str) -> Path:
    """Add our server, with this index, to a host's configuration file, and return the file's path.

    An earlier entry for our server is replaced. Everything else in the file is left unchanged.
    Raises UnreadableConfiguration.
    """
    path, member = place(host), HOSTS[host][1]
    document = _read(path)
    servers = document.setdefault(member, {})
    if not isinstance(servers, dict):
        raise UnreadableConfiguration(f"{member} in {path} is not a JSON object; {BY_HAND}")
    # A host starts the server with another environment and from another folder.
    absolute = index if is_address(index) else str(Path(index).absolute())
    arguments = ["-m", "argsearch", "mcp", "--index", absolute]
    servers[ENTRY] = {"command": sys.executable, "args": arguments}
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as stream:
        stream.write(f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode())
    return path


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        # Some hosts create an empty file.
        document = json.loads(path.read_text(encoding="utf-8-sig").strip() or "{}")
        # JSON may escape half a character, which UTF-8 cannot hold.
        json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise UnreadableConfiguration(f"{path} is not JSON ({error}); {BY_HAND}") from error
    if not isinstance(document, dict):
        raise UnreadableConfiguration(f"{path} does not contain a JSON object; {BY_HAND}")
    return document
