"""Tools that let a language model read the index. Answers are typed and limited in size."""
