"""Key points: the points that arguments make on each side of a question, counted and quoted."""
