"""Ranking mathematics that works on arrays and tokens only, without files or settings."""
