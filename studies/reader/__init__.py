"""What a reader gets: the first arguments a side, judged by hand without knowing whose they are."""
