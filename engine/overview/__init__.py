"""What an index shows apart from any question: suggestions, its map, examples."""
