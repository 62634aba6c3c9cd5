"""Tokens of texts, as Lucene's StandardAnalyzer makes them."""

from indexer.analysis.standard import StandardAnalyzer

__all__ = ["StandardAnalyzer"]
