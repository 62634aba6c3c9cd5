"""The part `premises`: claims and their premises, collected, clustered and compared (D20)."""
