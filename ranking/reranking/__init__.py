"""Re-rankers: lists of candidates in, another order and its reasons out (W22)."""
