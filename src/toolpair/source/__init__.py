"""The bytes of a session file: finding records and the span of every JSON value, splicing edits in, saving safely.

`saving/` has the steps of a save, `system.py` every system call that can fail. Knows no format and no API; of the
transcript only what a damaged record is.
"""
