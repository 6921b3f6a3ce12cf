"""A history that has been read, checked whole or window by window: its problems, its rows, and what it lost since
before.

One scan tells which windows are clean; only the others are checked. May use formats, recipes, rules, source,
transcript.
"""
