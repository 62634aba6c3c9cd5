"""Results and their hits, with near-duplicates collapsed and debates spread over the top."""
