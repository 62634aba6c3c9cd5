"""Corpora of real forum posts in several sizes, and queries.

The posts come from ARGSEARCH_DATA and are unpacked once into `.cache/bench`. All files made from
the posts are stored there too.
"""

from __future__ import annotations

import lzma
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from argsearch.lab.runs.topics import read_topics
from benchmarks.measuring import CACHE, say

SEED = 2021
POSTS = Path("forum/forum-posts.jsonl.xz")
WORDS = 150
"""Words of a long query."""
TOPICS = Path("touche/topics-task-1-2020-only-titles-all50.xml")


class DataMissing(RuntimeError):
    """Raised if the real corpora are missing."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query's id and text."""

    id: str
    text: str


def data() -> Path:
    """Return the folder of the real corpora. Raises DataMissing."""
    folder = os.environ.get("ARGSEARCH_DATA")
    if not folder or not (Path(folder) / POSTS).is_file():
        raise DataMissing(
            f"ARGSEARCH_DATA is {folder!r}; the benchmark needs the folder that holds {POSTS}"
        )
    return Path(folder)


def _made(path: Path, lines: Iterable[bytes]) -> Path:
    """Write the lines to a temporary file, and then rename it to `path`."""
    part = path.with_suffix(".part")
    with part.open("wb", 1 << 20) as stream:
        stream.writelines(lines)
    part.rename(path)
    return path


def all_posts() -> Path:
    """Return the path of all posts, unpacked, as JSON Lines."""
    path = CACHE / "posts.jsonl"
    if not path.exists():
        say("unpacking the corpus")
        CACHE.mkdir(parents=True, exist_ok=True)
        with lzma.open(data() / POSTS) as packed:
            _made(path, packed)
    return path


def count(path: Path) -> int:
    """Return the number of lines in a file."""
    with path.open("rb") as stream:
        return sum(1 for _ in stream)


def posts(documents: int) -> Path:
    """Return a file of random posts, or of all posts repeated with new ids if they are too few."""
    whole = all_posts()
    path = CACHE / f"posts-{documents}.jsonl"
    if path.exists():
        return path
    available = count(whole)
    if documents == available:
        return whole
    say(f"making a corpus of {documents:,} documents")
    lines = _sample(whole, available, documents)
    return _made(path, lines if documents < available else _repeated(whole, available, documents))


def _sample(whole: Path, available: int, documents: int) -> Iterator[bytes]:
    chosen = np.zeros(available, bool)
    chosen[np.random.default_rng(SEED).permutation(available)[:documents]] = True
    with whole.open("rb") as stream:
        yield from (line for line, wanted in zip(stream, chosen, strict=True) if wanted)


def _repeated(whole: Path, available: int, documents: int) -> Iterator[bytes]:
    for copy in range(-(-documents // available)):
        left = min(available, documents - copy * available)
        with whole.open("rb") as stream:
            for line, _ in zip(stream, range(left), strict=False):
                if copy:
                    document = orjson.loads(line)
                    document["id"] = f"{document['id']}-copy{copy}"
                    line = orjson.dumps(document) + b"\n"
                yield line


def texts(corpus: Path) -> Path:
    """Return a file of the documents as {"id", "text"}, for peers that store no documents."""
    from argsearch.indexer.corpus import read

    path = corpus.with_suffix(".texts.jsonl")
    if path.exists():
        return path
    rows = ({"id": a.id, "text": a.text} for a in read(corpus))
    return _made(path, (orjson.dumps(row) + b"\n" for row in rows))


def touche() -> list[Question]:
    """Return the 50 titles of Touché 2020."""
    return [Question(topic.query_id, topic.title) for topic in read_topics(data() / TOPICS)]


def paragraphs(corpus: Path, number: int) -> list[Question]:
    """Queries made from the first WORDS words of random posts that have as many."""
    order = np.random.default_rng(SEED).permutation(count(corpus))
    texts: dict[int, str] = {}
    wanted = set(order[: 16 * number].tolist())  # at least one in 16 is long enough
    with corpus.open("rb") as stream:
        for row, line in enumerate(stream):
            if row in wanted:
                words = orjson.loads(line)["premises"][0]["text"].split()
                if len(words) >= WORDS:
                    texts[row] = " ".join(words[:WORDS])
    long = [row for row in order.tolist() if row in texts][:number]
    return [Question(f"p{i}", texts[row]) for i, row in enumerate(long)]


def conclusions(corpus: Path, number: int) -> list[Question]:
    """Return queries from distinct random conclusions. Nothing was tuned to them."""
    found = set()
    with corpus.open("rb") as stream:
        for line in stream:
            found.add((orjson.loads(line)["conclusion"] or "").strip())
    found = {text for text in found if any(character.isalnum() for character in text)}
    order = np.random.default_rng(SEED).permutation(len(found))[:number]
    by_text = sorted(found)
    return [Question(f"c{i}", by_text[place]) for i, place in enumerate(order)]
