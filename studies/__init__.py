"""What was measured once, on judgements: each table of the docs names its command."""
