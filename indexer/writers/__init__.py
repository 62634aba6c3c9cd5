"""Writers: where a finished build goes."""
