"""The commands, one module each. None of them loads Textual or Rich, and only `open` knows the interface."""
