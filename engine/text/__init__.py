"""Presentation of a hit: marked query words, gist or snippet, and citation."""
