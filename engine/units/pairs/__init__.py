"""Pairs of a conclusion and a premise (W22): retrieval, re-ranking, joining and explanation."""
