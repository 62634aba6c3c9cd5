"""Backends: what holds an index and answers queries."""
