"""Generations that nobody names: what a build that was killed leaves on a server, and its removal.

A generation says which process writes it. Whether that process has ended is known for certain only
on its own machine; what another machine's left is told, and left alone.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argsearch.indexer.server.client import Server
from argsearch.indexer.server.schema import META

_HERE = Path("/proc")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Generations that nobody names."""

    removed: tuple[str, ...]
    left: tuple[str, ...]
    """Of a build that runs, or of one that cannot be seen from here, in words."""


def owner() -> dict[str, Any]:
    """What tells this process from any other, on this machine and others."""
    return {"host": socket.gethostname(), "pid": os.getpid(), **_seen(os.getpid())}


def _seen(pid: int) -> dict[str, str]:
    """A process' start, the machine's, and the numbering of processes that it is seen in."""
    try:
        state, *fields = (_HERE / str(pid) / "stat").read_text().rpartition(")")[2].split()
        if state in "ZX":
            return {}  # it has ended, and nobody looked
        boot = (_HERE / "sys/kernel/random/boot_id").read_text().strip()
        numbering = str((_HERE / "self/ns/pid").readlink())
        return {"started": fields[18], "boot": boot, "numbering": numbering}
    except OSError:
        return {}


def ended(of: object) -> bool | None:
    """Whether the process that `owner` described has ended; None where that cannot be known."""
    here = _seen(os.getpid())
    if not isinstance(of, Mapping) or type(of.get("pid")) is not int or not here:
        return None
    if of.get("host") != socket.gethostname():
        return None
    if of.get("boot") != here["boot"]:
        return True  # the machine was started anew
    if of.get("numbering") != here["numbering"]:
        return None
    return _seen(of["pid"]).get("started") != of.get("started")


def clean(server: Server) -> Cleaned:
    """Remove the generations of the address's name that nobody names and whose build has ended."""
    removed, left = [], []
    for index, of in _unnamed(server).items():
        state = ended(of)
        if state:
            server.request("DELETE", f"/{index}", missing=True)
            removed.append(index)
        else:
            by = f"process {of['pid']} of {of['host']}" if isinstance(of, Mapping) else "unknown"
            runs = "which runs" if state is False else "which cannot be seen from here"
            left.append(f"{index}, written by {by}, {runs}")
    return Cleaned(tuple(removed), tuple(left))


def _unnamed(server: Server) -> dict[str, object]:
    """This software's generations of the address's name without any alias, and who writes them."""
    name = server.address.name
    own = re.compile(re.escape(name) + "-[0-9a-f]{8}-[0-9a-f]{8}")
    aliases = server.request("GET", f"/{name}-*/_alias", missing=True) or {}
    mappings = server.request("GET", f"/{name}-*/_mapping", missing=True) or {}
    found: dict[str, object] = {}
    for index in sorted(mappings):
        meta = mappings[index].get("mappings", {}).get("_meta", {}).get(META)
        named = aliases.get(index, {"aliases": {"unseen": {}}})["aliases"]
        if own.fullmatch(index) and isinstance(meta, dict) and not named:
            found[index] = meta.get("owner")
    return found
