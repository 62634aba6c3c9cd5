"""Training the stance model from sided arguments."""
