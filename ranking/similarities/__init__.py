"""Relevance models, one per file, with their names from the literature."""
