"""Kimi Code's events as its history: responses end, messages wait for results, what was undone is gone.

As in 2.1.0 (`loopEventFold`, `contextOps`, `wire/tree`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from msgspec import Struct, field

from toolpair.formats.engine.reading.reading import as_key
from toolpair.formats.format import Item
from toolpair.formats.kimi_code.detection import (
    CLEAR,
    EVENT,
    MESSAGE,
    SUMMARY,
    SWITCH,
    UNDO,
    event_in,
    kind_of,
    message_in,
)

BEGINS_ANEW: Final = ("interrupted", "error")
"""Why a response ended that the next one ends for good."""
_MAIN: Final = "main"


class Entry(Struct, eq=False):
    """A message of the history, and the uids of the lines that it is made of."""

    role: str
    uids: list[int] = field(default_factory=list)
    origin: Any = None
    id: Any = None
    """A prompt's own."""
    answers: Any = None
    """The id of the call, in a result."""
    calls: bool = False
    says: bool = False
    """It holds more than white space."""


class Folded(Struct):
    entries: list[Entry]
    active: set[int]
    """The uids of the lines that are not undone, cleared or compacted."""
    summary: int | None = None
    """The uid of the last line that put a summary in the place of what was before it."""
    left_out: Mapping[int, Any] = {}
    """uid of a line that belongs to no open response -> the id of the one that was open; None for none."""


def chain_of(items: Sequence[Item]) -> list[Item]:
    """The lines of the branch that is continued. A branch begins at a line of another one."""
    edges = [
        (line, item.value)
        for line, item in enumerate(items, 1)
        if kind_of(item.value) == SWITCH and _is_edge(item.value)
    ]
    if not edges:
        return list(items)
    begins: dict[str, tuple[int, Any]] = {_MAIN: (1, None)}
    ends: dict[str, int] = {}
    branch = _MAIN
    for line, edge in edges:
        ends[branch] = line
        branch = edge["branch"]
        begins[branch] = (line + 1, edge["base"])
    ends[branch] = len(items)
    parts: list[tuple[int, int]] = []
    upto, seen = len(items), set[str]()
    while branch in begins and branch not in seen:
        seen.add(branch)
        first, base = begins[branch]
        parts.append((first, min(upto, ends.get(branch, upto))))
        if base is None:
            break
        branch, upto = base["branch"], base["line"]
    undone = {edge.get("legacyUndoLine") for _, edge in edges}
    lines = (line for first, last in reversed(parts) for line in range(first, last + 1))
    return [items[line - 1] for line in lines if line not in undone and kind_of(items[line - 1].value) != SWITCH]


def _is_edge(value: dict[str, Any]) -> bool:
    base = value.get("base")
    return (
        isinstance(value.get("branch"), str)
        and isinstance(base, dict)
        and isinstance(base.get("branch"), str)
        and isinstance(base.get("line"), int)
    )


class Fold:
    """One pass over the lines of a chain."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.summary: int | None = None
        self._open: Entry | None = None
        self._step: Any = None
        self._pending: dict[Any, None] = {}
        self._waiting: list[Entry] = []
        self._since: list[int] = []
        """The uids of all lines since the history began, in order."""
        self._gone: set[int] = set()
        self._left_out: dict[int, Any] = {}

    def run(self, items: Sequence[Item]) -> Folded:
        for item in items:
            self._take(item)
            self._since.append(item.uid)
        self._settle()
        self._flush()
        active = {item.uid for item in items} - self._gone
        left_out = {uid: step for uid, step in self._left_out.items() if uid in active}
        return Folded(self.entries, active, self.summary, left_out)

    def _take(self, item: Item) -> None:
        match kind_of(item.value):
            case str(kind) if kind == MESSAGE:
                self._message(item)
            case str(kind) if kind == EVENT:
                self._event(item)
            case str(kind) if kind == UNDO:
                self._undo(item.value.get("count"))
            case str(kind) if kind == CLEAR:
                self._begin([])
            case str(kind) if kind == SUMMARY:
                self._compact(item)

    def _message(self, item: Item) -> None:
        said = message_in(item.value)
        content = said.get("content")
        named = said.get("origin"), said.get("id"), as_key(said.get("toolCallId"))
        entry = Entry(str(said.get("role")), [item.uid], *named, bool(said.get("toolCalls")))
        entry.says = any(map(_tells, content if isinstance(content, list) else ()))
        if self._pending:
            self._waiting.append(entry)
        else:
            self.entries.append(entry)

    def _event(self, item: Item) -> None:
        event = event_in(item.value)
        id_ = as_key(event.get("toolCallId"))
        match event.get("type"):
            case "step.begin":
                self._settle()
                self._open = Entry("assistant")
                self.entries.append(self._open)
                self._step = event.get("uuid")
            case "step.end" if event.get("finishReason") not in BEGINS_ANEW:
                self._settle()
                self._flush()
            case "content.part" if self._open is not None and event.get("stepUuid") == self._step:
                self._open.uids.append(item.uid)
                self._open.says = self._open.says or _tells(event.get("part"))
            case "tool.call" if self._open is not None and event.get("stepUuid") == self._step:
                self._open.uids.append(item.uid)
                self._open.calls = True
                self._pending[id_] = None
            case "tool.result" if id_ in self._pending:
                del self._pending[id_]
                self.entries.append(Entry("tool", [item.uid], answers=id_))
                self._flush()
            case "content.part" | "tool.call" | "tool.result":
                self._left_out[item.uid] = self._step if self._open is not None else None

    def _settle(self) -> None:
        if self._open is None:
            return
        self.entries += [Entry("tool", answers=id_) for id_ in self._pending]
        self._pending.clear()
        self._flush()
        if not self._open.calls and not self._open.says:
            self.entries.remove(self._open)
        self._open = None

    def _flush(self) -> None:
        if not self._pending:
            self.entries += self._waiting
            self._waiting.clear()

    def _begin(self, entries: list[Entry], kept: Set[int] = frozenset()) -> None:
        self._gone.update(uid for uid in self._since if uid not in kept)
        self._since = [uid for uid in self._since if uid in kept]
        self.entries, self._open, self._waiting = entries, None, []
        self.summary = self.summary if self.summary in kept else None
        self._pending.clear()

    def _undo(self, count: Any) -> None:
        left = count if isinstance(count, int) else 0
        for place in reversed(range(len(self.entries))):
            entry = self.entries[place]
            kind = _kind(entry.origin)
            if left <= 0 or kind == "compaction_summary":
                return
            if kind == "injection" or not _is_prompt(entry):
                continue
            left -= 1
            if left == 0:
                while place and _is_owned(self.entries[place - 1], entry):
                    place -= 1
                first = self.entries[place].uids[0] if self.entries[place].uids else None
                at = self._since.index(first) if first in self._since else len(self._since)
                self._begin(self.entries[:place], {*self._since[:at]})
                return

    def _compact(self, item: Item) -> None:
        value = item.value
        kept_users = value.get("keptUserMessageCount")
        summary = Entry("user", [item.uid], {"kind": "compaction_summary"}, says=True)
        tail = value.get("legacyTail")
        if tail is True or (tail is None and not isinstance(kept_users, (int, float))):
            count = value.get("compactedCount", value.get("count"))
            rest = self.entries[count:] if isinstance(count, int) else []
            made, kept = [summary, *rest], rest
        else:
            kept = [entry for entry in self.entries if _is_users(entry)]
            made = [*kept, summary, Entry("user", origin={"kind": "injection"}, says=True)]
        self._begin(made, {uid for entry in kept for uid in entry.uids})
        self.summary = item.uid


def _kind(origin: Any) -> Any:
    return origin.get("kind") if isinstance(origin, dict) else None


def _is_typed(origin: Any) -> bool:
    if _kind(origin) in ("skill_activation", "plugin_command"):
        return bool(origin.get("trigger") == "user-slash")
    return origin is None or _kind(origin) == "user"


def _is_users(entry: Entry) -> bool:
    """Whether a compaction keeps it."""
    return entry.role == "user" and _is_typed(entry.origin)


def _is_prompt(entry: Entry) -> bool:
    """Whether it begins what an undo takes back."""
    in_turn = isinstance(entry.origin, dict) and entry.origin.get("inTurn") is True
    return entry.role == "user" and not in_turn and _is_typed(entry.origin)


def _is_owned(entry: Entry, prompt: Entry) -> bool:
    owner = entry.origin.get("ownerPromptId") if _kind(entry.origin) == "injection" else None
    return owner is not None and owner == prompt.id


def _tells(part: Any) -> bool:
    """Whether a part is more than white space."""
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        return bool(str(part.get("text")).strip())
    return kind != "think" or "encrypted" in part or bool(str(part.get("think")).strip())
