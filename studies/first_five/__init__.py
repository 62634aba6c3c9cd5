"""What stands in the first five: short texts, texts off the question, texts that argue nothing."""
