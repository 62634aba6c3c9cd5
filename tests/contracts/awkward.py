"""A corpus of awkward lists: a question's word finds none, one, ties, odd texts, copies, many."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings

FOUND = {"nowhere": 0, "single": 1, "tied": 30, "odd": 12, "repeated": 40, "many": 300}
"""Questions, and how many arguments each finds."""
ODD = [
    "", "?!", "yes", "🦄 🦄", "\u200b", "the of and to a in", "xqzzy vbrtk wwpl", "0 1 2.5 1e309",
    "Hunde und Katzen sind Tiere, die im Haus leben, aber nicht im Wald.",
    "动物园应该关闭，因为动物属于野外。", "a" * 3000,
    "zoos harm animals because cages are small " * 715,
]  # fmt: skip
"""Empty, one word, no known word, other languages, one endless word, 5,005 words."""
WORDS = ["animals", "cages", "schools", "because", "children", "learn", "harm", "good", "should"]


def documents() -> list[dict[str, Any]]:
    """Every argument of the corpus; the word that finds it is in its conclusion."""
    rng = random.Random(11)

    def said(n: int) -> str:
        return " ".join(rng.choices(WORDS, k=n))

    tied, base = said(30), [said(40) for _ in range(5)]
    texts = {
        "single": [said(20)],
        "tied": [tied] * FOUND["tied"],
        "odd": ODD,
        "repeated": [f"{base[i % 5]} and {i}" for i in range(FOUND["repeated"])],
        "many": [said(rng.choice([3, 30, 90])) for _ in range(FOUND["many"])],
    }
    rows = []
    for word, several in texts.items():
        for i, text in enumerate(several):
            premise = {"text": text, "stance": rng.choice(["PRO", "CON"])}
            context = {"sourceDomain": rng.choice(["a.org", "b.org", "c", "c, a.org"])}
            if rng.random() < 0.5:
                context["date"] = f"20{rng.randrange(10, 20)}-0{rng.randrange(1, 10)}-01"
            about = word if word == "tied" else f"{word} {rng.choice(['zoos', 'schools'])}"
            document = {"id": f"{word}-{i:03}", "conclusion": about, "premises": [premise]}
            rows.append(document | {"context": context})
    return rows


def built(folder: Path) -> Path:
    """An index of it, with vectors and groups of near-duplicates."""
    corpus = folder / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in documents()), "utf-8")
    settings = IndexSettings(parts=("vectors", "near_duplicates"), clusters=4)
    build(BuildRequest([str(corpus)], folder / "index", settings))
    return folder / "index"
