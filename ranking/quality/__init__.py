"""Argument quality: text features, gate and regressor (H21), and evaluation figures."""
