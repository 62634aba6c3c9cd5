"""The backend for Elasticsearch and OpenSearch."""
