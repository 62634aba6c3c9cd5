"""`argsearch info`, `verify` and `pipeline`: show and check an index or a configuration."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from argsearch.api.cli import options, terminal
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.server.address import is_address, mask

_STEERING = re.compile("[\x7f-\x9f]")
"""Control characters that JSON allows unescaped. They are escaped to protect the terminal."""


def info(
    words: options.FirstIndex = None,
    index: options.IndexOrFirst = None,
    form: str = options.choice("--format", ("table", "json"), "Output format.", "table"),
) -> None:
    """Show an index's corpus, counts, models and settings.

    Example: argsearch info --index my-index --format json
    """
    manifest = _manifest(options.indexed(index, words, others=False)[0])
    if form == "json":
        import orjson

        text = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
        sys.stdout.write(_STEERING.sub(lambda c: f"\\u{ord(c[0]):04x}", text.decode()) + "\n")
        return
    rows = list(_rows(manifest))
    width = max(len(key) for key, _ in rows)
    for key, value in rows:
        print(terminal.printable(f"{key:{width}}  {value}"))


def _manifest(index: str) -> Mapping[str, Any]:
    if is_address(index):
        from argsearch.engine import Engine

        engine = Engine.open(index)
        return {**engine.info.manifest, "fingerprint": engine.info.fingerprint}
    from argsearch.indexer.format import manifest

    read = dict(manifest.without_sums(manifest.read(Path(index))))
    # The manifest is shown even if other files are damaged; `verify` reports such damage.
    with suppress(ArgsearchError):
        from argsearch.engine.backends.embedded.backend import EmbeddedBackend
        from argsearch.engine.stance.sides import claiming

        whole = claiming(EmbeddedBackend(Path(index)))
        read["sides"] = "stances and texts" if whole else "texts: most conclusions make no claim"
    return read


def _rows(manifest: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield nested values under dotted keys. The manifest's files share one row."""
    for key, value in manifest.items():
        name = f"{prefix}{key}"
        if name == "files" and isinstance(value, Mapping):
            size = sum(int(file["bytes"]) for file in value.values())
            yield name, f"{len(value)} files, {size:,} bytes"
        elif name == "columns" and isinstance(value, list):
            yield from ((f"column.{one['name']}", str(one["doc"])) for one in value)
        elif name == "parts" and isinstance(value, Mapping):
            yield from ((f"part.{one}", str(part["doc"])) for one, part in value.items())
        elif isinstance(value, Mapping):
            yield from _rows(value, f"{name}.")
        elif isinstance(value, list):
            for number, item in enumerate(value, 1):
                inner = item if isinstance(item, Mapping) else {"": item}
                yield from _rows(inner, f"{name}.{number}.")
        elif isinstance(value, int) and not isinstance(value, bool):
            yield name, f"{value:,}" if prefix == "counts." else str(value)
        else:
            yield name, "none" if value is None else str(value)


def verify(
    words: options.FirstIndex = None,
    index: options.IndexOrFirst = None,
    quiet: options.Quiet = False,
) -> None:
    """Check every file of an index directory against its size and checksum.

    Example: argsearch verify --index my-index
    """
    from argsearch.indexer.format import manifest

    index, _ = options.indexed(index, words, others=False)
    if is_address(index):
        raise InvalidParameter("INDEX", mask(index), "a directory, not a search server")
    content = manifest.verify(Path(index))
    files = content["files"]
    size = sum(int(file["bytes"]) for file in files.values())
    terminal.say(f"{len(files)} files, {size:,} bytes: sizes and checksums match", quiet=quiet)
    print(f"{index}\t{content['fingerprint']}")


def pipeline(
    config: str = options.argument(
        "CONFIG", "The configuration: a shipped name, or a path to a .toml file.", "default"
    ),
    settings: options.Settings = None,
) -> None:
    """Show the stages that a configuration applies to a question.

    Example: argsearch pipeline heimdall-2021 --set rerank.method=mmr
    """
    from argsearch.engine.config import describe, load_config

    print(describe(load_config(config, tuple(settings or ()))))
