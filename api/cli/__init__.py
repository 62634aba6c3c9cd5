"""The command line `argsearch`, commands of one thought a file."""
