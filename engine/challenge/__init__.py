"""What speaks against a text: the position that it takes, and arguments against that and for it."""
