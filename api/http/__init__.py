"""The HTTP API and the server side of the web page."""
