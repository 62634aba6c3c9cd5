"""Results and their hits: collapsing near-duplicates and spreading debates over the top."""
