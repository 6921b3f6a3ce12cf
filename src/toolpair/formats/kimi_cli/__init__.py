"""Kimi CLI: its session files, and the agent itself."""
