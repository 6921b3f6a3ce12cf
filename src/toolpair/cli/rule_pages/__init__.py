"""A rule's page: made once as plain data (`entry.py`), printed in a terminal or written as Markdown."""
