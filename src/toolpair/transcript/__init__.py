"""The neutral model of what an agent would send: messages, blocks, pairs, edits, and the walk that makes the pairs.

It knows no file format, provider, agent or API spelling. It may import only `shell` and msgspec.
"""
