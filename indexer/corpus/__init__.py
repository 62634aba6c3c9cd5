"""Corpora: the Argument model, and `read` for every supported form of a corpus."""

from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.corpus.reading import read, read_many
from argsearch.indexer.corpus.report import CorpusError, OnError, ReadReport, SourceReport

__all__ = [
    "Argument",
    "CorpusError",
    "OnError",
    "Premise",
    "ReadReport",
    "SourceReport",
    "Stance",
    "read",
    "read_many",
]
