"""Near-duplicates: documents that repeat most of another document word for word.

Call `sketch` to turn documents into sets of numbers, one per sequence of five words. Call `group`
once per corpus to find the representative of each document.
"""
