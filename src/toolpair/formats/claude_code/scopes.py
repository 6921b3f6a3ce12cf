"""Which records are active: sent, or next to what is sent. Bookkeeping records have no scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from toolpair.formats.claude_code.history import History
from toolpair.formats.claude_code.record_kinds import ChainNode
from toolpair.transcript.model import Scope

_QUIET: Final = frozenset({"attachment", "system", "progress"})


def scopes_of(history: History, damaged: Iterable[int]) -> Mapping[int, Scope]:
    """The scopes of records that are not active: damaged ones, and chain records that do not lead to the leaf.

    Inactive are other branches, what a compaction replaced, what a lost link hides, and sub-agents' records. A record
    attached to an active one (a hook report, the progress of a call) is active too.
    """
    scopes: dict[int, Scope] = dict.fromkeys(damaged, "malformed")
    known = {node.uid: True for node in (*history.chain, *history.order)}
    for node in history.nodes:
        active = known.get(node.uid)
        if not (active if active is not None else _is_active(history, node, known)):
            scopes.setdefault(node.uid, "inactive")
    for node in history.shadowed:
        scopes.setdefault(node.uid, "inactive")
    return scopes


def _is_active(history: History, node: ChainNode, known: dict[int, bool]) -> bool:
    path: list[int] = []
    seen: set[int] = set()
    found: ChainNode | None = node
    active = False
    while found is not None:
        if found.uid in known:
            active = known[found.uid]
            break
        if found.uid in seen or found.type not in _QUIET or not history.main(found):
            path.append(found.uid)
            break
        seen.add(found.uid)
        path.append(found.uid)
        found = history.by_uuid.get(history.parent_of(found) or "")
    for uid in path:
        known[uid] = active
    return active
