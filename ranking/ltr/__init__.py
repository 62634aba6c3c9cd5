"""Learning to rank by quality (F22): training lists, losses, scoring head, ensembles, measures."""
