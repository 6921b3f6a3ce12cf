"""Damaged records: found, explained, and repaired."""
