"""Training of every model that an index can name: quality, pairwise quality, stance."""
