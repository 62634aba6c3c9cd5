"""Topics, run files and relevance judgements (qrels): reading, checking and writing them."""

from engine.runs.metadata import RunRecord, write_metadata
from engine.runs.qrels import Qrels, read_qrels
from engine.runs.reading import Ranking, Run, read_run
from engine.runs.text import RunFormatError
from engine.runs.topics import Topic, read_topics
from engine.runs.writing import write_run

__all__ = [
    "Qrels",
    "Ranking",
    "Run",
    "RunFormatError",
    "RunRecord",
    "Topic",
    "read_qrels",
    "read_run",
    "read_topics",
    "write_metadata",
    "write_run",
]
