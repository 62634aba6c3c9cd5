"""Relevance models, one per file, named as in the literature."""
