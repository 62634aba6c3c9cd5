"""Corpora of scored arguments, and labels made from their pairwise judgements."""
