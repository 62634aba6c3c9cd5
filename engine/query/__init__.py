"""Queries: text, filters, sort and facets, statistics of terms, and spelling."""
