"""A talk with a partner who argues against what is claimed, in sentences of the corpus alone."""
