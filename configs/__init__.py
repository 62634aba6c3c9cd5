"""The named systems, one TOML file each."""
