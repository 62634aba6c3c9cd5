"""Running the server: its process, workers and logs, and switching to a new index."""
