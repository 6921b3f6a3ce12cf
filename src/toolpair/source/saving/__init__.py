"""Saving, such that at any instant the file is either the old one or the new one.

The new bytes go to a temporary file next to the target, are flushed and read back, and take over the target's name by
an atomic rename. No file that toolpair leaves besides the output ends in .json or .jsonl: agents list those.
"""
