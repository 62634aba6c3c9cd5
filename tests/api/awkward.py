"""A small corpus with everything awkward in it, and a server of an index in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from argsearch.indexer.format.settings import IndexSettings
from tests.indexes import Built, document

ARGUMENTS = [
    document(
        "zoo/1#a?b=c&d%20",
        "Zoos should be abolished",
        "Animals suffer behind bars. Zoos keep animals for our pleasure, and "
        "that is no reason to lock them up. I know this.",
        stance="PRO",
        sourceTitle="Zoos & {braces} 100%",
        sourceUrl="https://example.org/zoos?a=1&b=2",
        author="Ann O'Nym",
        date="2019-05-06T07:08:09Z",
        acquisitionTime="2020-01-02T03:04:05Z",
    ),
    document(
        "zoo-2",
        "Zoos should be abolished",
        'Zoos save species, "says" the keeper.\nThey do, 😀 zoos!',
        stance="CON",
        sourceTitle="Zoos",
        sourceUrl="javascript:alert(1)",
    ),
    document(
        "xss",
        '<img src=x onerror="window.hacked=1"> zoos',
        "<script>window.hacked=1</script> zoos *are* `bad`",
        stance="PRO",
        sourceTitle="<b>bold</b>",
        sourceUrl='https://example.org/"><script>',
    ),
    document("null", None, "No conclusion about zoos.", stance="CON"),
    document("empty", "Zoos, and nothing more"),
    document(
        "escape",
        "Zoos \u001b[31mred\u001b[0m",
        "An escape \u001b]0;title\u0007 sequence in zoos.",
        sourceTitle="\u001b[2J",
    ),
]
ARGUMENTS += [
    document(
        f"school-{n}",
        "School uniforms are good" if n % 3 else "School uniforms are bad",
        f"Uniforms make {n} pupils equal. " + "A uniform costs less than fashion. " * (n % 5),
        stance="PRO" if n % 2 else "CON",
        sourceTitle="Uniforms",
        sourceUrl=f"https://example.org/{n}",
    )
    for n in range(60)
]


def write_corpus(folder: Path) -> Path:
    """The corpus as an args.me JSON file in `folder`."""
    path = folder / "awkward.json"
    path.write_text(json.dumps({"arguments": ARGUMENTS}), encoding="utf-8")
    return path


def build_index(built: Built, folder: Path, *added: str) -> Path:
    """An index of the corpus, without a quality model, with parts; not to be written to."""
    settings = IndexSettings(quality_model="none", parts=("vectors",))
    return built(write_corpus(folder), settings, added=added)


@contextmanager
def serving(*indexes: Path | str, options: Sequence[str] = ()) -> Iterator[str]:
    """`argsearch serve` for an index, or for several `NAME=INDEX`; yields its address.

    It answers at once.
    """
    command = [sys.executable, "-m", "argsearch", "serve", "--port", "0", *options]
    for index in indexes:
        command += ["--index", str(index)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def on_a_terminal(words: list[str | Path], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command line writes to a terminal, both streams."""
    from argsearch.api.cli import main

    terminal, end = os.openpty()
    written = bytearray()

    def collect() -> None:
        with suppress(OSError):  # the other end is closed
            while piece := os.read(terminal, 4096):
                written.extend(piece)

    reading = Thread(target=collect, daemon=True)
    reading.start()
    with os.fdopen(end, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        patched.setattr(sys, "stderr", stream)
        assert main.run([str(word) for word in words]) == 0
        sys.stdout.close()
    reading.join(60)
    os.close(terminal)
    return written.decode().replace("\r\n", "\n")


def refused(
    run: Callable[..., tuple[int, str, str]],
    words: str | Iterable[str | Path],
    code: int,
    said: str,
) -> None:
    """Check that a command line ends with a code, and with one line that says something."""
    found, data, messages = run(*(words.split() if isinstance(words, str) else words))
    assert (found, data) == (code, "")
    assert said in one_line_error(messages)


def timeless(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without the time that it took."""
    return {name: value for name, value in answer.items() if name != "milliseconds"}


def one_line_error(err: str) -> str:
    """The one line that a failure is."""
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("error: ")
    assert "Traceback" not in err
    return lines[0]
