"""Evaluation missing from ir-measures (G19): z-nDCG, significance, agreement, dimensions."""
