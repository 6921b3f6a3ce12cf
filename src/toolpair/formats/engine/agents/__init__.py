"""What agents share: databases and folders of sessions, the way back to a session."""
