"""Argument quality: features of texts, gate and regressor (H21), and figures of how they do."""
