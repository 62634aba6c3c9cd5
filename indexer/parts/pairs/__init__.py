"""Sentences of arguments: splitting, ids, counts and kinds (W22)."""
