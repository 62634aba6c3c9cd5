"""H21's quality model: TF-IDF, a support vector gate, support vector regression."""
