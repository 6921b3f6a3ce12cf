"""Mending a broken chain: the record that lost its parent is hung on the one in front of it."""

from __future__ import annotations

from toolpair.formats.claude_code.history import History, nearest_before, walk_up
from toolpair.formats.claude_code.records import Node


def parent_for(history: History, record: int) -> Node | None:
    """The record that a broken one (by uid) most likely hung on: the nearest earlier chain record of the file.

    None when there is none that would not close a circle.
    """
    broken = next((node for node in history.nodes if node.uid == record), None)
    if broken is None:
        return None
    seen = {node.uid for node in history.chain} if any(node is broken for node in history.chain) else {broken.uid}
    found = nearest_before(history, broken, seen)
    while found is not None and any(node is broken for node in walk_up(history, found).path):
        seen.add(found.uid)
        found = nearest_before(history, found, seen)
    return found
