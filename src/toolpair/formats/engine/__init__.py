"""What the agents' folders share. It names no agent."""
