"""Premises of a claim, ranked by how well they beat the claim's other premises (D20)."""
