"""The index as tools for a language model: typed answers with a limit on their size."""
