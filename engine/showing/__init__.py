"""What a reader sees of an argument."""
