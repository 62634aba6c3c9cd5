"""Judgements of arguments: each corpus' reader once, comparisons and votes of one's own."""
