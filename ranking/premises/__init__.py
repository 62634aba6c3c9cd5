"""Ranking of a claim's premises by how many of its other premises they beat (D20)."""
