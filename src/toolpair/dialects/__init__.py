"""How an API spells messages, calls and results: the one room that looks into a block's value, to read and to write it.

One module an API; `block_values` and `block_texts` have what is the same in all of them. They use `transcript` alone,
and hand out neutral facts, blocks and edits.
"""
