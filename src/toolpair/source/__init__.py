"""The bytes of a session file: finding records and the span of every JSON value, splicing edits in, saving safely.

`saving/` holds the steps of a save, `system.py` every system call that can fail. Knows no format and no API; from
`transcript` it only knows what a damaged record is.
"""
