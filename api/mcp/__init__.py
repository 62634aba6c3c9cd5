"""Tools for a language model that read the index. Answers are typed and limited in size."""
