"""Agents on this machine: their sessions, their running processes, their versions, and how a session is resumed.

Looks at names, at `stat` and at some kilobytes of a file's start and end; nothing is read whole. May use formats and
source.
"""
