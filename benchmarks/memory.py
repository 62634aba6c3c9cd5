"""Whether different questions fill the memory of a server.

`python -m benchmarks.memory INDEX [QUESTIONS]` asks `argsearch serve` different questions, words of
the index drawn by chance, and prints its own memory on the way.
"""

from __future__ import annotations

import http.client
import sys
from pathlib import Path
from urllib.parse import quote

import numpy as np

from argsearch.indexer.format.arrays import SortedStrings, open_arrays
from benchmarks.measuring import say
from benchmarks.serving import serve

SEED = 2021
WORDS = 4
STEPS = 10


def questions(index: Path, number: int) -> list[str]:
    """Different questions of WORDS words; frequent words come more often."""
    arrays, _ = open_arrays(index)
    rng = np.random.default_rng(SEED)
    weights = np.sqrt(arrays.text_totals)
    rows = rng.choice(len(weights), (number, WORDS), p=weights / weights.sum())
    terms = SortedStrings(arrays.terms_offsets, arrays.terms_bytes)
    return [f"{i} " + " ".join(terms[row].decode() for row in four) for i, four in enumerate(rows)]


def main(index: Path, number: int = 50_000) -> None:
    """Ask them all, and say how much memory the server has."""
    asked = questions(index, number)
    with serve(index, 1) as served:
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        for i, question in enumerate(asked):
            if i % (number // STEPS) == 0:
                say(f"{i:,} questions: {served.memory()[0]['own']:.1f} MiB of its own")
            connection.request("GET", f"/api/search?q={quote(question)}&k=10")
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{question!r}: status {answer.status}")
        say(f"{number:,} questions: {served.memory()[0]['own']:.1f} MiB of its own")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
