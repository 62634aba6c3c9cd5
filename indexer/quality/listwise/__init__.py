"""What scores a text as learning to rank by quality does (F22): inference only."""
