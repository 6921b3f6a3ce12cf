"""The kinds of logs: one module each, with its entry in `kinds.py`; `records` reads the file, `log` its requests."""
