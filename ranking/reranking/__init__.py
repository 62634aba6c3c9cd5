"""Re-ranking of a short list of candidates, on arrays (W22)."""
