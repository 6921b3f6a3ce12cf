"""docker-agent (formerly cagent): its database of sessions, and the agent itself."""
