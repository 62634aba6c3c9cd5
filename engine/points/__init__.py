"""Key points: the points made on each side of a question, with counts and quotes."""
