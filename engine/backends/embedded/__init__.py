"""The embedded backend: one memory-mapped index directory."""
