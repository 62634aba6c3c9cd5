"""Training of the models that an index can name: quality, pairwise quality, and stance."""
