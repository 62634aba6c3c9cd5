"""Evaluation that ir-measures lacks (G19): z-nDCG, significance, agreement and dimensions."""
