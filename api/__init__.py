"""The surface: command line, HTTP API and the page."""
