"""Corpora: readers for every form a corpus comes in, behind one `read`; the Argument model."""

from indexer.corpus.argument import Argument, Premise, Stance
from indexer.corpus.faults import CorpusError
from indexer.corpus.reading import read, read_batches, read_many
from indexer.corpus.report import OnError, ReadReport, SourceReport

__all__ = [
    "Argument",
    "CorpusError",
    "OnError",
    "Premise",
    "ReadReport",
    "SourceReport",
    "Stance",
    "read",
    "read_batches",
    "read_many",
]
