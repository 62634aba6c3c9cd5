"""The kinds of quality models that a file can hold."""
