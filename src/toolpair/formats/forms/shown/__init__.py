"""Agents whose sessions are only shown, by the tables beside this: where such files are."""
