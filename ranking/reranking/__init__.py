"""Second looks at a short list of candidates: arrays in, scores out (W22)."""
