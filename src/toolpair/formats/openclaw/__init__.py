"""OpenClaw: its session files and databases, and the agent itself."""
