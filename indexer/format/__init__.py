"""The format of an index on disk: settings, manifest, arrays, document store."""
