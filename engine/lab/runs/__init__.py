"""Topics, run files and relevance judgements (qrels): reading, checking and writing them."""

from engine.lab.runs.metadata import RunRecord, write_metadata
from engine.lab.runs.qrels import Qrels, read_qrels
from engine.lab.runs.reading import Run, TopicRanking, read_run
from engine.lab.runs.text import RunFormatError
from engine.lab.runs.topics import Topic, read_topics
from engine.lab.runs.writing import write_run

__all__ = [
    "Qrels",
    "Run",
    "RunFormatError",
    "RunRecord",
    "Topic",
    "TopicRanking",
    "read_qrels",
    "read_run",
    "read_topics",
    "write_metadata",
    "write_run",
]
