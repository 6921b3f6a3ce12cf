"""goose: its database of sessions, its older files, and the agent itself."""
