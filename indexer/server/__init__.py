"""How an index lies on an Elasticsearch or OpenSearch server: address, client, schema."""
