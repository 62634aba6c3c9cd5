"""Stance towards a question: claims, their polarity, and the model that sides arguments."""
