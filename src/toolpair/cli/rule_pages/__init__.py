"""A rule's page: built once as plain data (`entry.py`), then printed in a terminal or written as Markdown."""
