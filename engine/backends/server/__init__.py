"""The backend on Elasticsearch or OpenSearch."""
