"""A history that has been read: checked whole or window by window, its rows, and what one state of it lost of another.

One scan says which windows are clean; only the others are checked. May use formats, recipes, rules, source, transcript.
"""
