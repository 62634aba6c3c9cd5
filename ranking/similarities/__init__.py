"""Models of relevance, one a file, named as in the literature."""
