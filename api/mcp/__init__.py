"""The index as tools of a language model: typed answers, each within a budget of bytes."""
