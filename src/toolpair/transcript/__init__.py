"""The neutral model of what an agent would send: messages, blocks, pairs, edits, and the walk that makes the pairs.

It knows no file, no provider, no agent, and how no API writes anything. May use `shell` and msgspec alone.
"""
