"""Premises of the claims that a question finds (D20), over the part `premises` of an index."""
