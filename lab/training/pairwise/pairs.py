"""Judged pairs of texts, whatever corpus they come from, and what can go wrong in reading them."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError


class PairsError(ArgsearchError):
    """Judgements of pairs that cannot be read."""

    def __init__(self, source: Path, what: str) -> None:
        super().__init__(f"judgements {str(source)!r} {what}")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of texts of which the first was judged better; ties are left out."""

    source: str
    """The corpus and, where it has several, the dimension."""
    texts: tuple[str, ...]
    better: NDArray[np.int64]
    """int64[m] into `texts`."""
    worse: NDArray[np.int64]
    """int64[m] into `texts`."""
    topics: tuple[str, ...]
    """The topic of each pair, for leaving topics out: m names."""

    def only(self, keep: NDArray[np.bool_]) -> Pairs:
        """The pairs where `keep`, bool[m], over the same texts."""
        topics = tuple(topic for topic, kept in zip(self.topics, keep, strict=True) if kept)
        return Pairs(self.source, self.texts, self.better[keep], self.worse[keep], topics)


class Collector:
    """Gathers pairs by text; a text that occurs twice is one text."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._texts: dict[str, int] = {}
        self._pairs: list[tuple[int, int]] = []
        self._topics: list[str] = []

    def add(self, better: str, worse: str, topic: str) -> None:
        """One judgement; two equal texts say nothing and are left out."""
        if better == worse:
            return
        first, second = (self._texts.setdefault(t, len(self._texts)) for t in (better, worse))
        self._pairs.append((first, second))
        self._topics.append(topic)

    def pairs(self) -> Pairs:
        """What was gathered, in the order it came."""
        rows = np.array(self._pairs, np.int64).reshape(-1, 2)
        texts = tuple(self._texts)
        return Pairs(self._source, texts, rows[:, 0].copy(), rows[:, 1].copy(), tuple(self._topics))


def files_of(source: Path, part: str, ending: str) -> Iterator[tuple[str, str]]:
    """(name without ending, UTF-8 text) of the files under `part` of a tar archive or folder.

    Sorted by name. Raises PairsError where there is none, or a file is not UTF-8.
    """
    found = sorted(_members(source, part, ending))
    if not found:
        raise PairsError(source, f"hold no file *{part}*/*{ending}; give the archive or its folder")
    for name, content in found:
        try:
            yield Path(name).name.removesuffix(ending), content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise PairsError(source, f"hold {name!r}, which is not UTF-8: {error}") from error


def _members(source: Path, part: str, ending: str) -> Iterator[tuple[str, bytes]]:
    if source.is_dir():
        for path in source.rglob(f"*{ending}"):
            if part in path.parent.name:
                yield path.name, path.read_bytes()
        return
    try:
        with tarfile.open(source) as archive:
            for member in archive:
                path = Path(member.name)
                if member.isfile() and path.name.endswith(ending) and part in path.parent.name:
                    content = archive.extractfile(member)
                    assert content is not None
                    yield path.name, content.read()
    except (OSError, EOFError, tarfile.TarError) as error:
        raise PairsError(source, f"cannot be read ({error})") from error
