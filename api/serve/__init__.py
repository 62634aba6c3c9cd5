"""Run the server: its processes, its logs, and the switch to a new index."""
