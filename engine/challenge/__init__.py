"""Arguments against and for the position that a text takes."""
