"""Key points: what is said on each side of a question, by how many, in whose words."""
