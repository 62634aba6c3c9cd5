"""Training and cross-validation of quality models."""
