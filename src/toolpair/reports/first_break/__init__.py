"""The first request of a log in which each pair broke, what the step before was, and what changed.

`logs/` reads the requests, `threads` says which continues which, `judge` what is wrong with one, `changes` what differs
between two, `breaks` brings it together. Bodies are read when they are needed and not kept.
"""
