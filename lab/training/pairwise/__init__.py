"""Which of two premises is the better one (D20): judgements, classifiers, protocols, models."""
