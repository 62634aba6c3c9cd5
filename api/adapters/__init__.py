"""Adapters for other frameworks. Each adapter is one file and needs an extra."""
