"""Untrusted text made safe to show, and measured in terminal cells. The one way from a transcript to a terminal."""
