"""The HTTP API and the page's server side."""
