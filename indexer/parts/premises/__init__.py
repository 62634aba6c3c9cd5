"""The part `premises`: claims and their premises, gathered, clustered, compared (D20)."""
