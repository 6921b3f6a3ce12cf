"""GitHub Copilot CLI: its logs of events, and the agent itself."""
