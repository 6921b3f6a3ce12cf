"""Agents on this machine: their sessions, their running processes, their versions, and how a session is resumed.

Shared code that runs over the agents' entries (`formats/agent.py`) and names no agent itself. Nothing is read whole.
May use formats and source.
"""
