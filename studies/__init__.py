"""Studies on real judgements: the published tables made again, and what a reader gets."""
