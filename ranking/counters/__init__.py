"""Counter-arguments: how a candidate answers an argument."""
