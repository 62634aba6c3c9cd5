"""Re-rank a short list of candidates, on arrays (W22)."""
