"""The premises of the claims found for a question (D20), from an index's part `premises`."""
