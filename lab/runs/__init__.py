"""Topics, run files and relevance judgements (qrels): reading, checking and writing them."""

from argsearch.lab.runs.metadata import RunRecord, write_metadata
from argsearch.lab.runs.qrels import Qrels, read_qrels
from argsearch.lab.runs.reading import Run, TopicRanking, read_run
from argsearch.lab.runs.text import RunFormatError
from argsearch.lab.runs.topics import Topic, read_topics
from argsearch.lab.runs.writing import write_run

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
