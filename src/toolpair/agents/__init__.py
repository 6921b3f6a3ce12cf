"""Agents on this machine: their sessions, running processes and versions, and how to resume a session.

Shared code driven by the agents' entries (`formats/agent.py`); it names no agent itself and reads no file whole. May
use formats and source.
"""
