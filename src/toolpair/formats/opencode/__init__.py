"""opencode and Kilo's command line: their databases and folders of sessions, and the agents themselves."""
