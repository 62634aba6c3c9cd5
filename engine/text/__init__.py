"""What a reader sees of a hit: the words found, the snippet, the citation."""
