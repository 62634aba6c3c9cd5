"""Pairs of a conclusion and a premise: retrieved, re-ranked, joined, explained (W22)."""
