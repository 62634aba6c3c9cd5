"""`argsearch`: run the requested command and report every failure in one line."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

import typer

from argsearch.api.cli import options
from argsearch.api.cli.stopping import Stopping
from argsearch.api.cli.terminal import Clean, printable
from argsearch.indexer.errors import brief
from argsearch.version import __version__

COMMANDS = {
    "index": "index",
    "add": "change",
    "remove": "change",
    "search": "search",
    "counter": "search",
    "premises": "search",
    "pairs": "search",
    "points": "quotes",
    "challenge": "quotes",
    "serve": "serve",
    "mcp": "mcp",
    "run": "run",
    "tira": "run",
    "evaluate": "evaluate",
    "experiment": "evaluate",
    "judge": "judge",
    "train": "train",
    "encoder": "encoder",
    "info": "info",
    "verify": "info",
    "pipeline": "info",
}
"""The module of each command. Only the module of the requested command is imported."""
# Exit codes of a command stopped by Ctrl-C or SIGTERM.
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143

_EPILOG = (
    "An INDEX is a directory, or http(s)://host:port/name. "
    "Example: argsearch search 'should teachers get tenure' --index my-index. "
    "With any command, --debug shows the traceback of an error."
)


def main() -> None:
    """Run the program. Exit codes: 0 success, 1 failure, 2 wrong usage, 130 Ctrl-C, 143 SIGTERM."""
    gc.set_threshold(50_000, 20, 20)  # collections would take a tenth of a short command's time
    code = run(sys.argv[1:])
    _close_output()
    gc.freeze()  # else the interpreter would scan all objects once more at exit
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    with Stopping() as stopping:
        try:
            code = _run(arguments)
        except KeyboardInterrupt:  # raised while an error was being reported
            code = EXIT_INTERRUPTED
        if code == EXIT_INTERRUPTED:
            by = "SIGTERM" if stopping.terminated else "Ctrl-C"
            print(f"stopped by {by}", file=sys.stderr)
            return EXIT_TERMINATED if stopping.terminated else EXIT_INTERRUPTED
        return code


def _run(arguments: Sequence[str]) -> int:
    debug, words = _take_debug(arguments)
    _prepare_streams()
    try:
        result = application(words)(args=words, prog_name="argsearch", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        result = EXIT_INTERRUPTED
    except BrokenPipeError:
        return 0  # the reader (such as `head`) has closed the pipe
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            return 0
        result = stop.code
    except Exception as error:
        if debug:
            raise
        return _report(error)
    return result if isinstance(result, int) else 0


def application(arguments: Sequence[str] = (), names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the program with the command named first in `arguments`, or else with all `names`."""
    app = typer.Typer(
        name="argsearch",
        cls=options.Group,
        help="An argument search engine: relevance × topical cluster × argument quality.",
        epilog=_EPILOG,
        rich_markup_mode=None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    asked = arguments[0] if arguments else ""
    known = asked in COMMANDS or (asked[:1].isalpha() and _is_unit(asked))
    for name in [asked] if known else names:
        module = import_module(f"argsearch.api.cli.{COMMANDS.get(name, 'search')}")
        command = getattr(module, name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            options.add(app, command, name)
    return app


def _is_unit(name: str) -> bool:
    """Return True for the name of a unit. The module `search` builds a command for each unit."""
    from argsearch.engine.units import UNITS

    return name in UNITS


def _version(wanted: bool) -> None:
    if wanted:
        print(f"argsearch {__version__}")
        raise typer.Exit


def _root(
    _version_wanted: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


def _take_debug(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    """Return whether --debug is given before any `--`, and the command line without it."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    options = [word for word in arguments[:end] if word != "--debug"]
    return len(options) < end, [*options, *arguments[end:]]


def _prepare_streams() -> None:
    """Write UTF-8 to files and pipes; on a terminal, replace characters that it cannot show.

    `Clean` removes control characters from a command's output to a terminal.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed from the start
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue
        if stream.isatty():
            reconfigure(errors="replace")
        else:
            reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    if sys.stdout.isatty():
        sys.stdout = Clean(sys.stdout.buffer, sys.stdout.encoding, "replace", line_buffering=True)


def _report(error: Exception) -> int:
    from argsearch.indexer.errors import ArgsearchError

    if isinstance(error, ArgsearchError):
        return _fail(str(error), error.exit_code)
    message = getattr(error, "format_message", None)
    if message is not None:  # wrong usage, found by typer
        return _fail(_usage(error, message()), int(getattr(error, "exit_code", 2)))
    if isinstance(error, MemoryError):
        return _fail("not enough memory", 1)
    if isinstance(error, OSError):
        named = f"{error.filename}: " if error.filename else ""
        return _fail(f"{named}{error.strerror or error}", 1)
    kind = type(error).__name__
    return _fail(f"unexpected {kind}: {error} (--debug shows the traceback)", 1)


def _usage(error: Exception, message: str) -> str:
    if not message or message.startswith("Usage:"):  # for a bare command the help is the answer
        if message:
            print(message, file=sys.stderr)
        return "a command is missing; see: argsearch --help"
    from argsearch.indexer.errors import NEW_NAMES

    _, no, word = getattr(error, "option_name", "").lstrip("-").rpartition("no-")
    if word in NEW_NAMES:
        message = f"{message.rstrip('.')}: it is --{no}{NEW_NAMES[word]} now"
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "argsearch")
    return f"{message.rstrip('.')}; see: {path} --help"


def _fail(message: str, code: int) -> int:
    line = brief(printable(" ".join(message.split())))
    label = "error:"
    if sys.stderr.isatty() and not os.environ.get("NO_COLOR"):
        label = f"\x1b[31m{label}\x1b[0m"
    print(label, line, file=sys.stderr)
    return code


def _close_output() -> None:
    """Flush the streams; suppress the interpreter's error if the reader has closed the pipe."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
