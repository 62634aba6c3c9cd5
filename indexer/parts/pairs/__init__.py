"""Sentences of arguments: found, named, counted, and what kind they are (W22)."""
