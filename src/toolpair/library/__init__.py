"""Checking and repairing lists of messages in a program: `check`, `repair`, `guard`, and SDK objects.

Built on history; knows nothing of files, agents on this machine or terminals.
"""
