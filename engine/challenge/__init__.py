"""What speaks against a text: its claims, and what arguments of the index answer to them."""
