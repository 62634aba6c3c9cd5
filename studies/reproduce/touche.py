"""Touché 2020, task 1: its topics, its judgements, and the subset of args.me with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from argsearch.engine import Engine
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from argsearch.lab.runs import read_qrels, read_topics

QRELS = "touche/touche2020-task1-relevance-args-me-corpus-version-2020-04-01-corrected.qrels"
TOPICS = "touche/topics-task-1-2020-only-titles-all50.xml"
CORPUS = "argsme-subset/args-me-subset.json.xz"


@dataclass(frozen=True)
class Judged:
    """The topics of Touché 2020, and the grades of the documents in an index."""

    topics: dict[str, str]
    grades: dict[str, dict[str, int]]

    @classmethod
    def read(cls, data: Path, engine: Engine) -> Judged:
        """Read all 50 topics and judgements of indexed documents. Negative grades count as 0."""
        qrels = read_qrels(data / QRELS).not_negative()
        held = {
            query: {doc: grade for doc, grade in judged.items() if engine.argument(doc)}
            for query, judged in qrels.items()
        }
        topics = {topic.query_id: topic.title for topic in read_topics(data / TOPICS)}
        return cls(topics, {query: judged for query, judged in held.items() if judged})

    @classmethod
    def indexed(cls, data: Path, index: Path, settings: IndexSettings) -> Judged:
        """Build an index of the subset if it is missing, and read its judgements."""
        if not index.exists():
            index.parent.mkdir(parents=True, exist_ok=True)
            build(BuildRequest([str(data / CORPUS)], index, settings))
        with Engine.open(index) as engine:
            return cls.read(data, engine)
