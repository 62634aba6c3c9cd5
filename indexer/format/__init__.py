"""How an index lies on disk: settings it was built with, manifest, arrays, document store."""
