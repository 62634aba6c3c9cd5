"""A real nginx that shows a server under /args/, by the lines of the documentation."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.copies import ROOT

_LINES = re.compile(r"^```nginx\n(.*?)^```", re.DOTALL | re.MULTILINE)
_CONFIGURATION = """
daemon off;
user root root;
pid {folder}/pid;
error_log {folder}/errors;
events {{}}
http {{
    access_log {folder}/requests;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ return 404; }}
        {lines}
    }}
}}
"""


def documented_lines() -> str:
    """The lines that the documentation gives for nginx."""
    [lines] = _LINES.findall((ROOT / "docs" / "http-api.md").read_text(encoding="utf-8"))
    assert isinstance(lines, str)
    return lines


def keeping(lines: str) -> str:
    """Return lines that keep /args in the path and say nothing of it, made of the documented."""
    kept = re.sub(r"(proxy_pass http://[^/]*)/;", r"\1;", lines)
    return re.sub(r".*X-Forwarded-Prefix.*\n", "", kept)


@contextmanager
def proxied(address: str, lines: str, folder: Path) -> Iterator[str]:
    """Run nginx before a server; yields where it shows it, without a slash at the end."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("install nginx: it is not on the PATH")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        lines = lines.replace("http://127.0.0.1:8000", address)
        configuration = folder / "nginx.conf"
        configuration.write_text(_CONFIGURATION.format(folder=folder, port=port, lines=lines))
        # It takes over the socket, as in an upgrade: nobody else can get the port.
        taken = {"NGINX": f"{listener.fileno()};"}
        command = [program, "-p", str(folder), "-c", str(configuration)]
        process = subprocess.Popen(
            command, pass_fds=[listener.fileno()], env={**os.environ, **taken}
        )
    # From here on a connection is refused if nginx has ended.
    with process:
        try:
            yield f"http://127.0.0.1:{port}/args"
        finally:
            process.terminate()
