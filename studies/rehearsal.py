"""A corpus of args.me's size and form, made of real texts: `python -m studies.rehearsal OUT`.

The real args.me corpus has 387,740 documents with 64,633 conclusions. It is made here of the
args.me subset, as it is, and of forum posts as premises: conclusions are threads' titles and
`TITLE, therefore OTHER TITLE` until there are as many, stances are drawn by a fixed seed, and each
post gets the context of a document of the subset. Posts do not argue for their conclusions: the
corpus is for sizes and times, not for effectiveness.
"""

from __future__ import annotations

import lzma
import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from argsearch.indexer.corpus import read

DOCUMENTS, CONCLUSIONS, SEED = 387_740, 64_633, 2020
"""Of args.me 2020-04-01."""
SUBSET = "argsme-subset/args-me-subset.json.xz"
POSTS = "forum/forum-posts.jsonl.xz"


def _titles(data: Path) -> list[str]:
    with lzma.open(data / POSTS) as stream:
        found = (orjson.loads(line)["conclusion"] for line in stream)
        return list(dict.fromkeys(title for title in found if title and title.strip()))


def _conclusions(titles: list[str], known: set[str | None], number: int) -> list[str]:
    """So many distinct conclusions not known yet: titles, then one that follows from another."""
    found: dict[str, None] = {}
    for place in count():
        step, first = divmod(place, len(titles))
        other = titles[(first + 7919 * step) % len(titles)]
        text = titles[first] if not step else f"{titles[first]}, therefore {other}"
        if text not in known:
            found[text] = None
        if len(found) == number:
            return list(found)
    raise AssertionError("count() has no end")


def corpus(data: Path) -> Iterator[dict[str, Any]]:
    """The documents, those of the subset first, in args.me's own form."""
    random, titles = np.random.default_rng(SEED), _titles(data)
    contexts, known, documents = [], set(), 0
    for argument in read(data / SUBSET):
        yield argument.to_json()
        contexts.append(dict(argument.context))
        known.add(argument.conclusion)
        documents += 1
    left = DOCUMENTS - documents
    texts = _conclusions(titles, known, CONCLUSIONS - len(known - {None}))
    new = len(texts)
    of = np.sort(random.integers(0, new, left))
    of[random.permutation(left)[:new]] = np.arange(new)
    with lzma.open(data / POSTS) as stream:
        for number, (line, conclusion) in enumerate(zip(stream, of.tolist(), strict=False)):
            post = orjson.loads(line)
            yield {
                "id": f"R{conclusion}-{post['id']}",
                "conclusion": texts[conclusion],
                "premises": [
                    {"text": p["text"], "stance": "CON" if random.random() < 0.42 else "PRO"}
                    for p in post["premises"]
                ],
                "context": contexts[number % len(contexts)],
            }


def main(out: Path) -> None:
    """Write {"arguments": [...]} to `out`; print documents and distinct conclusions."""
    documents, conclusions = 0, set()
    with out.open("wb", 1 << 20) as stream:
        stream.write(b'{"arguments": [')
        for document in corpus(Path(os.environ["ARGSEARCH_DATA"])):
            stream.write(b",\n" if documents else b"\n")
            stream.write(orjson.dumps(document))
            conclusions.add(document["conclusion"])
            documents += 1
        stream.write(b"\n]}\n")
    print(f"{documents:,} documents, {len(conclusions - {None}):,} distinct conclusions")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
