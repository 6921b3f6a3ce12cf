"""Claude Code: its session files, what it sends of them, and the agent itself."""
