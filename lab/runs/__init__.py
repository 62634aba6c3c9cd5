"""Read, check, and write topics, run files, and relevance judgements (qrels)."""

from argsearch.lab.runs.text import RunFormatError
from argsearch.lab.runs.topics import Topic, read_topics
from argsearch.lab.runs.trec import Qrels, Run, TopicRanking, read_qrels, read_run, write_run

__all__ = [
    "Qrels",
    "Run",
    "RunFormatError",
    "Topic",
    "TopicRanking",
    "read_qrels",
    "read_run",
    "read_topics",
    "write_run",
]
