"""The interfaces for users: command line, HTTP API and web page."""
