"""Output formats of `check` that CI services read."""
