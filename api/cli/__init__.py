"""The command line `argsearch`, one file for each group of related commands."""
