"""Running the server: its process, worker processes, logs, taking over a new index."""
