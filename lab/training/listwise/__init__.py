"""Learning to rank by quality (F22): corpora, training and the folder of a trained model."""
