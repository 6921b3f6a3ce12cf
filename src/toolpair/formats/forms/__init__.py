"""Forms: how lists of messages that no agent's folder knows spell calls and results, as tables.

A table (`*.toml`, here and in the user's folder) says where in an element its role, texts, calls and results are, and
what a new result looks like. `table` is its schema, `compiled` makes the reader, `reading` and `writing` are what a
format has, `detection` says which form a file is in. Nothing here is loaded before a file asks for it.
"""
