"""Stores an index on an Elasticsearch or OpenSearch server: address, client, schema."""
