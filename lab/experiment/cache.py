"""What was computed before, found by a digest of everything that it depends on."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from argsearch.indexer.errors import ArgsearchError
from argsearch.lab.runs.text import replacing

PROJECT = Path(__file__).resolve().parents[2]


class CacheUnusable(ArgsearchError):
    """The folder of the cache cannot be written."""


def digest(parts: Mapping[str, Any]) -> str:
    """SHA-256 of a mapping of plain values, 24 hexadecimal digits."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
def software(*packages: str) -> str:
    """The version and a digest of the packages' Python files: changed code is other software."""
    found = hashlib.sha256()
    for package in packages:
        for path in sorted((PROJECT / package).rglob("*.py")):
            found.update(path.relative_to(PROJECT).as_posix().encode() + b"\0")
            found.update(path.read_bytes())
    try:
        number = version("argsearch")
    except PackageNotFoundError:
        number = "unknown"
    return f"{number} {found.hexdigest()[:16]}"


class Cache:
    """A folder of finished parts; a part is there whole or not at all.

    `fresh` finds nothing that was there before (what this object puts in is found again).
    """

    def __init__(self, root: Path, *, fresh: bool = False) -> None:
        self.root = root
        self._fresh = fresh
        self._own: set[Path] = set()

    def place(self, kind: str, key: str) -> Path:
        """Where a part of a kind (`indexes`, `runs`, …) is or would be."""
        folder = self.root / kind
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CacheUnusable(
                f"the cache {self.root} cannot be written ({error.strerror or error}); "
                "choose another folder with --cache"
            ) from error
        return folder / key

    def has(self, path: Path) -> bool:
        """Whether a part is there and may be used."""
        return path.exists() and (not self._fresh or path in self._own)

    def keep(self, path: Path) -> None:
        """A part has been made at `path`."""
        self._own.add(path)

    @contextmanager
    def folder(self, path: Path) -> Iterator[Path]:
        """A folder to fill, which becomes `path` when it is complete."""
        for left in path.parent.glob(f".{path.name}.*.partial"):  # by a process that was killed
            if not _alive(int(left.name.split(".")[-2])):
                shutil.rmtree(left, ignore_errors=True)
        aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        try:
            yield aside
            if self._fresh:
                shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):  # another process was faster: its part is as good
                aside.rename(path)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        self.keep(path)

    def read(self, kind: str, key: str) -> Any:
        """A JSON value that was written before, or None (a damaged file is None too)."""
        path = self.place(kind, f"{key}.json")
        if self.has(path):
            with suppress(ValueError, OSError):
                return json.loads(path.read_text(encoding="utf-8"))
        return None

    def write(self, kind: str, key: str, value: Any) -> None:
        """Keep a JSON value (NaN is allowed)."""
        path = self.place(kind, f"{key}.json")
        with replacing(path) as stream:
            stream.write(json.dumps(value).encode())
        self.keep(path)

    def journal(self, kind: str, key: str) -> Journal:
        """A journal of small results."""
        return Journal(self.place(kind, f"{key}.jsonl"), fresh=self._fresh)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class Journal:
    """Small results by key, one JSON line each, appended as they come: a crash loses one line."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self._path = path
        self._found: dict[str, Any] = {}
        cut = False
        if path.exists():
            content = path.read_bytes()
            cut = bool(content) and not content.endswith(b"\n")
            for line in [] if fresh else content.splitlines():
                with suppress(ValueError, KeyError, TypeError):  # the line a crash cut short
                    entry = json.loads(line)
                    self._found[entry["key"]] = entry["value"]
        self._stream = path.open("ab")
        if cut:
            self._stream.write(b"\n")

    def get(self, key: str) -> Any:
        """The value kept under a key, or None."""
        return self._found.get(key)

    def put(self, key: str, value: Any) -> None:
        """Keep a value."""
        self._found[key] = value
        self._stream.write(json.dumps({"key": key, "value": value}).encode() + b"\n")
        self._stream.flush()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
