"""The command line `argsearch`, one command a file."""
