"""Requests as agents recorded them in their own files, rebuilt whole."""
