"""Everything that happens before a query: reading corpora and building indexes."""
