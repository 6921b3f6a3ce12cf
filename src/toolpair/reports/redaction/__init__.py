"""A session without anything that tells who wrote it, where, or what about: `copies.redacted_session` is the way in.

Commands and reports that take a session take the redacted one the same way. May use sessions and what they stand on.
"""
