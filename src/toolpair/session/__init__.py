"""An opened session file: fixes staged, undone, kept in a journal and saved; places found; recipes compared.

What the interface and the commands stand on. May use everything below it: history, agents, formats, source.
"""
