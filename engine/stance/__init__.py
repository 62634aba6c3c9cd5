"""Stance towards a question: claims, their polarity, and the model that sides arguments."""

from argsearch.engine.stance.claims import Claim, read_claim

__all__ = ["Claim", "read_claim"]
