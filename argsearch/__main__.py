"""`python -m argsearch`: the same as the command `argsearch`."""

from argsearch.api.cli.main import main

if __name__ == "__main__":
    main()
