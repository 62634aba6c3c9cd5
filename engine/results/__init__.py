"""What is answered: results and their hits, views of a ranking, near-duplicates collapsed."""
