"""The one way in which a measurement ends without a figure."""

from __future__ import annotations


class Failed(Exception):
    """What was to be measured did not run. The words say which program and what it said."""
