"""The outputs of `check` that services for CI read."""
