"""Laboratory: runs, evaluation, experiments, judgements, and reproduction; not needed to search."""
