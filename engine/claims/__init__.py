"""Premises of the claims that a question finds (D20), over the part `premises` of an index."""

from engine.claims.hits import ClaimShare, PremiseHit, PremiseResults, Stated
from engine.claims.opened import Claims, Found

__all__ = ["ClaimShare", "Claims", "Found", "PremiseHit", "PremiseResults", "Stated"]
