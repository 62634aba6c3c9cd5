"""Results and their hits, near-duplicates collapsed and the top places spread."""
