"""What an index holds of claims and their premises (D20): gathered, clustered, compared."""

from indexer.claims.arrays import ClaimArrays
from indexer.claims.build import ClaimSettings, build_claims

__all__ = ["ClaimArrays", "ClaimSettings", "build_claims"]
