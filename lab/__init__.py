"""The lab: runs, evaluation, experiments, judgements, published tables. No query needs it."""
