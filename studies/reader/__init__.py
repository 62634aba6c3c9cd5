"""Judge by hand the first arguments on each side, without knowing which system found them."""
