"""What stands in the first five of the sample corpus: short, badly argued or off the question.

    python -m benchmarks.first_five [--out lists.md]

20 questions, the grades of the sample corpus' own judgements (0 for what has none); a text under 15
words counts as short.
With --out the lists themselves are kept.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engine import Engine
from engine.config import load_config
from engine.lab.runs import read_qrels, read_topics
from indexer.build import BuildRequest, build

SAMPLE = Path(__file__).resolve().parent.parent / "indexer" / "sample"
SHORT = 15
STAGE = ("rerank.stages=['quality']", "rerank.depth=20")
SYSTEMS: dict[str, tuple[str, str, Sequence[str]]] = {
    "dirichlet": ("default", "dirichlet", ()),
    "default": ("default", "default", ()),
    "default, quality model words": ("words", "default", ()),
    "default, and rank among the first 20": ("default", "default", STAGE),
    "the same, quality model words": ("words", "default", STAGE),
}
"""Name -> quality model of the index, configuration, overrides."""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    out = parser.parse_args().out
    grades = {name: read_qrels(SAMPLE / f"{name}.qrels") for name in ("quality", "relevance")}
    topics, lists = read_topics(SAMPLE / "topics.xml"), []
    print("| first five of 20 questions | short | quality grade 0 | off the question |")
    print("|---|---:|---:|---:|")
    with TemporaryDirectory() as folder:
        indexes = {model: Path(folder) / model for model in ("default", "words")}
        for model, index in indexes.items():
            settings = load_config("default", [f"index.quality_model={model}"]).index
            build(BuildRequest([str(SAMPLE / "arguments.json")], index, settings))
        for name, (model, config, overrides) in SYSTEMS.items():
            counts = [0, 0, 0]
            with Engine.open(indexes[model]) as engine:
                for topic in topics:
                    lists.append(f"\n## {name}: {topic.title}\n")
                    found = engine.search(topic.title, k=5, config=config, overrides=overrides)
                    for hit in found.hits:
                        text, query = hit.argument.premise, topic.query_id
                        good = grades["quality"].not_negative()[query].get(hit.id, 0)
                        on = grades["relevance"].not_negative()[query].get(hit.id, 0)
                        flags = (len(text.split()) < SHORT, good == 0, on == 0)
                        counts = [count + flag for count, flag in zip(counts, flags, strict=True)]
                        lists.append(f"* {hit.id} (quality {good}, relevance {on}): {text}")
            print(f"| {name} | {' | '.join(map(str, counts))} |")
    if out:
        out.write_text("\n".join(lists))


if __name__ == "__main__":
    main()
