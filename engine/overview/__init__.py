"""Facts about an index that do not depend on a question: suggestions, map and examples."""
