"""Learning to rank by quality (F22): settings, training, and the folder of a trained model."""
