"""Builds an index from a corpus: chunks, inversion, files."""
