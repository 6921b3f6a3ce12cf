"""An open session file: its staged fixes, undo, journal and saving; finding places; comparing recipes.

The interface and the commands are built on it. May use everything below it: history, agents, formats, source.
"""
