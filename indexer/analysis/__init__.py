"""Tokens of texts, as Lucene's StandardAnalyzer makes them."""

from argsearch.indexer.analysis.standard import StandardAnalyzer

__all__ = ["StandardAnalyzer"]
