"""Continue: its session files, and the agent itself."""
