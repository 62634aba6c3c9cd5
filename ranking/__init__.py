"""Pure mathematics of ranking: arrays and tokens in, arrays out."""
