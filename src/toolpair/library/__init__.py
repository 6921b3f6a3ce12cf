"""Checking and repairing lists of messages in a program: `check`, `repair`, `guard`, and the objects of SDKs.

Stands on history; knows no file, no agent on this machine and no terminal.
"""
