"""Training the cross-encoder of sides: whether a claim agrees with a question."""
