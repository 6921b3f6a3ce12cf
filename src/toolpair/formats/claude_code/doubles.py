"""One uuid on several records: the agent reads the last of them in the place of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.formats.claude_code.history import History
from toolpair.formats.claude_code.records import Node, content_of, is_sent, only_results, result_ids, text_or_none
from toolpair.formats.claude_code.relink import fresh_uuid, mended
from toolpair.transcript.model import Defect, Repair
from toolpair.transcript.words import plural

_MOST_LOST: Final = 100
"""How many lost links are asked for what they meant; each answer costs a look at the whole file."""
DOUBLE: Final = "chain.duplicate_uuid"


def doubles_of(history: History) -> Iterator[Defect]:
    """A defect for each record whose uuid a later one bears. Linear in the number of records."""
    if not history.shadowed:
        return
    index = _Index(history)
    for earlier in history.shadowed:
        later = history.by_uuid[earlier.uuid or ""]
        if _says_the_same(earlier.value, later.value) or not (is_sent(earlier) or is_sent(later)):
            yield Defect(
                DOUBLE,
                earlier.uid,
                "This record stands in the file twice; the agent reads it once.",
                "info",
                "one record was written twice",
            )
            continue
        outputs = len(result_ids(earlier.value))
        brings = f"brings back {plural(outputs, 'output')}" if outputs else "brings back what it says"
        yield Defect(
            DOUBLE,
            earlier.uid,
            f"A later record bears the same uuid, so the agent does not see this one: {plural(outputs, 'output')}.",
            "error",
            "two different records bear one uuid; the later one replaces the earlier everywhere",
            outputs,
            _repair(history, index, earlier, later, brings),
        )


def _says_the_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """The same record again, whatever a copy of the session writes around it."""
    return one.get("type") == other.get("type") and content_of(one) == content_of(other)


class _Index:
    """The chain records of a file in order, those that link to a doubled uuid, and those whose parent is lost."""

    def __init__(self, history: History) -> None:
        doubled = {node.uuid for node in history.shadowed}
        self.order = sorted((*history.nodes, *history.shadowed), key=lambda node: node.position)
        self.linked: dict[str, list[Node]] = {}
        self.misnamed: dict[int, Node] = {}
        """uid of a record that bears another's uuid -> the one that still names it by its own."""
        asked = 0
        for node in self.order:
            links = {node.parent, text_or_none(node.value.get("sourceToolAssistantUUID"))}
            for link in links & doubled:
                if link is not None:
                    self.linked.setdefault(link, []).append(node)
            lost = node.parent is not None and node.parent not in history.by_uuid and asked < _MOST_LOST
            asked += lost
            if lost and (owner := mended(history, node).nameless) is not None:
                self.misnamed.setdefault(owner.uid, node)


def _repair(history: History, index: _Index, earlier: Node, later: Node, brings: str) -> Repair | None:
    for one in (later, earlier):
        child = index.misnamed.get(one.uid)
        if child is not None and child.parent is not None:
            title = f"give it the uuid that what follows names ({brings})"
            return Repair(title, identify=((one.uid, child.parent, ()),), several="give them the uuids that are named")
    old = earlier.uuid or ""
    new = fresh_uuid(history, earlier)
    children = tuple(
        node.uid for node in index.linked.get(old, ()) if earlier.position < node.position < later.position
    )
    relink: list[tuple[int, str]] = []
    above = history.by_uuid.get(later.parent or "")
    if later.parent == earlier.parent or above is None or above is later:
        before = _before(index, history, later)
        if before is not None:
            relink.append((later.uid, new if before is earlier else before.uuid or ""))
    if not children and not relink and not (earlier.type == "user" and only_results(earlier.value)):
        # The chain passes it by: what hangs on its parent comes behind it.
        follower = next(
            (node for node in index.order if node.position > earlier.position and node.parent == earlier.parent), None
        )
        if follower is not None and follower is not later:
            relink.append((follower.uid, new))
    return Repair(
        f"give it a uuid of its own and link it in ({brings})",
        relink=tuple(relink),
        identify=((earlier.uid, new, children),),
        several="give each a uuid of its own and link it in",
    )


def _before(index: _Index, history: History, node: Node) -> Node | None:
    """The nearest record in front of one that it may hang on."""
    found: Node | None = None
    for other in index.order:
        if other.position >= node.position:
            break
        if other.uuid is not None and other.type != "progress" and history.main(other):
            found = other
    return found
