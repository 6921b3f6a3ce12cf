"""How an API spells messages, calls and results: the only room that reads and writes a block's value.

One module per API; `block_values` and `block_texts` hold what all of them share. The modules import only `transcript`,
and return neutral facts, blocks and edits.
"""
