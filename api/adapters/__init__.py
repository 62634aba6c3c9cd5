"""The engine as a part of other frameworks: one thin file for each, with an extra."""
