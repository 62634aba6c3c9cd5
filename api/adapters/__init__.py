"""Adapters for other frameworks; each is one file and needs an extra."""
