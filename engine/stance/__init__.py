"""Stance towards a question: claims, their direction, and the model that assigns sides."""
