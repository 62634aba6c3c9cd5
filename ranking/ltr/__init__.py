"""Learning to rank by quality (F22): lists, losses, a scoring head, ensembles, measures."""
