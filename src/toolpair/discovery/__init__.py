"""Finding the sessions that agents have left on this machine: where they lie, whose they are, what was said last.

Everything here looks at names, at `stat`, and at some kilobytes of a file's start and end; nothing is read whole.
"""

from toolpair.discovery.base import Agent, Found
from toolpair.discovery.catalog import (
    AGENTS,
    NoSuchSession,
    describe,
    index,
    looked_in,
    newest,
    project_of,
    resolve,
)
from toolpair.discovery.machine import Machine, current_folder

__all__ = [
    "AGENTS",
    "Agent",
    "Found",
    "Machine",
    "NoSuchSession",
    "current_folder",
    "describe",
    "index",
    "looked_in",
    "newest",
    "project_of",
    "resolve",
]
