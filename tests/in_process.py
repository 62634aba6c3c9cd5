"""Neural encoders run in processes of their own: two of their libraries abort each other."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

START = """
import hashlib, json, sys, numpy as np
from argsearch.indexer.encoders import check_encoder, load_encoder

def digest(rows):
    return hashlib.sha256(rows.tobytes()).hexdigest()

def refusal(spec, ask=load_encoder):
    try:
        ask(spec)
    except Exception as error:
        return [type(error).__name__, str(error)]
    raise SystemExit(f"{spec} was accepted")
"""


def in_process(code: str, *arguments: object) -> dict[str, Any]:
    """Run code in a new process; its dictionary `found` comes back (arguments are in sys.argv)."""
    script = f"{START}\nfound = {{}}\n{code}\nprint(json.dumps(found))\n"
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])
