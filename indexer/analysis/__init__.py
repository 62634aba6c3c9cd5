"""Tokenisation of texts, identical to that of Lucene's StandardAnalyzer."""

from argsearch.indexer.analysis.standard import StandardAnalyzer

__all__ = ["StandardAnalyzer"]
