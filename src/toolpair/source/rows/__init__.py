"""Sessions whose records are rows of an SQLite database: found, read as lines, written back in one transaction.

A row becomes one line of JSON, in which a column that holds JSON text is kept as it is, so that all that works on lines
works on rows. May use the rest of source.
"""
