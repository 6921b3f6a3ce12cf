"""Which records of a long history cannot hold a problem, read from their values alone: one scan a kind of file.

A scan may leave a clean record to the rules; it never calls a broken one clean. Used by `history` alone.
"""
