"""The quality model that ships: features of a text's surface."""
