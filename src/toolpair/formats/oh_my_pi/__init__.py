"""oh-my-pi: its session files, and the agent itself."""
