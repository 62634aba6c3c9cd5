"""Judgements of arguments: readers of published corpora, and of your own comparisons and votes."""
