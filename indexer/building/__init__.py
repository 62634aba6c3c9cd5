"""The one path from a corpus to an index directory: chunks, inversion, files."""
