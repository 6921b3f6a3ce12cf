"""How an API spells messages, calls and results: the one room that looks into a block's value, to read and to write it.

One module an API; `values` has what is the same in all of them. They use `transcript` alone, and hand out neutral
facts, blocks and edits.
"""
