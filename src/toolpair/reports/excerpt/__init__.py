"""The smallest part of a session that still shows one of its problems: `excerpts.excerpt_of` is the way in.

May use sessions, redaction and what they stand on.
"""
