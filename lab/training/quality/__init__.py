"""Judgements in, a model file and honest figures out."""
