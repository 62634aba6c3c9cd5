"""Studies on real judgements: reproduce published tables, and judge the first arguments."""
