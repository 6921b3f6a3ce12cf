"""The commands. One module each; none of them loads Textual or Rich, and `open` alone knows the interface."""
