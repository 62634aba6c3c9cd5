"""Training of the stance model from arguments with known stances."""
