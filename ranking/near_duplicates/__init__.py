"""Near-duplicates: which documents say again, word for word, most of what another says.

`sketch` turns a run of documents into sets of numbers, one for each run of five words; `group`,
once for a corpus, names each document's representative.
"""
