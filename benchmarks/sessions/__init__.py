"""Sessions that are made: the same bytes for the same options, written as a stream.

`story.py` says what happens (calls, results, and what is broken about them), a writer for each format turns that into
records, `contents.py` has what tools print.
"""
