"""The part `premises`: claims and their premises, gathered, clustered and compared (D20)."""
