"""The embedded backend: a memory-mapped index directory."""
