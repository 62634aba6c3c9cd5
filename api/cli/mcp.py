"""`argsearch mcp`: the index as tools for a language model."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.api.cli import options, terminal
from argsearch.api.cli.stopping import ended_by_signals
from argsearch.api.mcp import hosts
from argsearch.indexer.errors import InvalidParameter, MissingExtra

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

HOST = "127.0.0.1"
PORT = 8001


def mcp(
    index: options.Index,
    http: bool = options.option("--http", "Serve streamable HTTP at /mcp instead of stdio.", False),
    host: options.Host = HOST,
    port: options.Port = PORT,
    token_file: options.TokenFile = None,
    root_path: options.RootPath = None,
    install: str | None = options.choice(
        "--install",
        tuple(hosts.HOSTS),
        "Write the configuration of this MCP host instead, and print its path.",
        None,
    ),
    quiet: options.Quiet = False,
) -> None:
    """Serve the index to a language model's client over the Model Context Protocol.

    Host, port, tokens and root path apply to --http, not to --install.

    Example: argsearch mcp --index my-index
    """
    # A host starts the server on standard input, where these options mean nothing.
    others: dict[str, object] = {"--http": http, "--host": host != HOST, "--port": port != PORT}
    others |= {"--token-file": token_file, "--root-path": root_path}
    if install and (given := [name for name, one in others.items() if one]):
        raise InvalidParameter(given[0], True, "", f"{given[0]} works only without --install")
    try:
        from argsearch.api.mcp.server import server
    except ModuleNotFoundError as error:
        # Any other missing module is a bug, and installing the SDK would not help.
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise MissingExtra("the MCP SDK", "mcp") from error
    from argsearch.api.http.app import warmed
    from argsearch.engine import Engine

    with warmed(Engine.open(index)) as engine:
        # Install after the checks: without the SDK or the index, a host could not start the server.
        if install is not None:
            print(hosts.install(install, index))
            terminal.say(f"restart {install} to load it", quiet=quiet)
            return
        said = f"serving tools for {engine.info.documents:,} arguments"
        if http:
            terminal.say(said, quiet=quiet)
            _answer_http(server(engine), (host, port), token_file, root_path)
            return
        # A signal may end the process at once, since the server writes no files.
        with ended_by_signals():
            terminal.say(said, quiet=quiet)
            server(engine).run("stdio")


def _answer_http(
    made: MCPServer[Any], at: tuple[str, int], token_file: Path | None, root_path: str | None
) -> None:
    import uvicorn

    from argsearch.api.cli.serve import address, listen
    from argsearch.api.http.access import Guard, Tokens, read_tokens
    from argsearch.api.http.prefix import Behind, read_root_path
    from argsearch.api.serve.serving import settings

    host, port = at
    root = read_root_path(root_path)
    app = made.streamable_http_app(host=host, json_response=True, stateless_http=True)
    if token_file is not None:
        app.add_middleware(Guard, tokens=Tokens(read_tokens(token_file)))
    (listener,) = listen(host, port, 1)
    with listener, contextlib.suppress(KeyboardInterrupt):
        print(f"{address(host, listener)}/mcp", flush=True)
        uvicorn.Server(uvicorn.Config(Behind(app, root), **settings())).run(sockets=[listener])
