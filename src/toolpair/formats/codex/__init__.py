"""Codex: its rollouts, what it sends of them, and the agent itself."""
