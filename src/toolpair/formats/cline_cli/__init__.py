"""Cline's command line: its sessions, what it sends of them, and the agent itself."""
