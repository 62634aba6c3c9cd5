"""Rank the premises of a claim by how many of its other premises each of them beats (D20)."""
