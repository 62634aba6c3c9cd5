"""Words and word pairs of a text's opening, weighed: what surface features do not see."""
