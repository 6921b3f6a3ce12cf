"""Gemini CLI's log as a history, as read in the agent's own code and held against the agent itself, 0.61.0."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects import gemini as dialect
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.part_of_file import as_file, part_facts
from toolpair.formats.engine.reading.reading import as_text, malformed_in, pairs_in
from toolpair.formats.format import AS_RESUMED, Beside, Item, SubagentSession, Usage, View
from toolpair.formats.gemini_cli.detection import is_header, is_of_log
from toolpair.formats.gemini_cli.left_out import UnsentWords, is_left_out
from toolpair.transcript.model import Block, Message, Scope, Transcript

NEWEST: Final = "0.61.0"
TITLE: Final = "Gemini CLI"
PROJECT: Final = ".project_root"
TALK: Final = ("user", "gemini")
Slot = tuple[str | int, ...]


class Entry(Struct, eq=False):
    """A message of the log as it was written last."""

    uid: int
    slot: Slot
    value: Mapping[str, Any]
    writes: list[tuple[int, Slot]]
    """Where it was written, the first time first: this is its place in the history."""


class GeminiTurn(Struct, eq=False):
    """What an entry sends under one role. `results`: the ones that stand in its calls."""

    role: str
    entry: Entry
    blocks: tuple[Block, ...]
    results: bool = False


class GeminiHistory(Struct, eq=False):
    items: Sequence[Item]
    entries: Sequence[Entry]
    turns: Sequence[GeminiTurn]
    header: Mapping[str, Any]
    """What lines say of the session."""
    named_below: bool
    """A line after the first one says so, too."""
    listed: bool
    """It is one JSON document: the items are its list of messages."""
    gone: Sequence[Entry]
    """Messages that were written again, taken back or replaced."""
    left_out: Sequence[UnsentWords]
    """What a user wrote and is not sent."""


def history_of(items: Sequence[Item]) -> GeminiHistory:
    listed = not any(isinstance(item.value, dict) and is_of_log(item.value) for item in items)
    log = _Log(listed)
    for item in items:
        if isinstance(item.value, dict):
            log.take(item.uid, item.value)
    entries = list(log.entries.values())
    live = {(entry.uid, entry.slot) for entry in entries}
    gone = [entry for entry in log.written if (entry.uid, entry.slot) not in live]
    rest = (item.value for item in items[1:] if isinstance(item.value, dict))
    named_below = not listed and any(is_header(value) for value in rest)
    turns = list(_turns(entries))
    return GeminiHistory(items, entries, turns, log.header, named_below, listed, gone, list(log.left_out()))


class _Log:
    """Reads the log as the agent does: a message with a known id takes the place of that one."""

    def __init__(self, listed: bool) -> None:
        self.listed = listed
        self.entries: dict[Any, Entry] = {}
        self.written: list[Entry] = []
        self.header: dict[str, Any] = {}
        self._dropped: list[tuple[Entry, Sequence[Any], Sequence[Any]]] = []
        """Messages that a resume left out, and the ids of the ones before and after them."""

    def take(self, uid: int, value: dict[str, Any]) -> None:
        if self.listed:
            self._put(len(self.entries), uid, (), value)
        elif isinstance(target := value.get("$rewindTo"), str):
            known = list(self.entries)
            for id_ in known[known.index(target) if target in self.entries else 0 :]:
                del self.entries[id_]
        elif isinstance(value.get("id"), str):
            self._put(value["id"], uid, (), value)
        elif isinstance(given := value.get("$set"), dict):
            if isinstance(given.get("messages"), list):
                before = list(self.entries.items())
                self.entries.clear()
                self._put_all(given["messages"], uid, ("$set", "messages"))
                self._note_dropped(before)
            self.header.update(given)
        elif isinstance(value.get("sessionId"), str) and isinstance(value.get("projectHash"), str):
            if isinstance(value.get("messages"), list):
                self._put_all(value["messages"], uid, ("messages",))
            self.header.update(value)

    def _put_all(self, messages: list[Any], uid: int, slot: Slot) -> None:
        for number, message in enumerate(messages):
            if isinstance(message, dict) and isinstance(message.get("id"), str):
                self._put(message["id"], uid, (*slot, number), message)

    def _put(self, id_: Any, uid: int, slot: Slot, value: dict[str, Any]) -> None:
        known = self.entries.get(id_)
        made = Entry(uid, slot, value, [*(known.writes if known is not None else ()), (uid, slot)])
        self.entries[id_] = made
        self.written.append(made)

    def _note_dropped(self, before: Sequence[tuple[Any, Entry]]) -> None:
        """A list that has what stood beside a message, but not the message, was written after a resume without it."""
        silent = [_is_silent(entry) for _, entry in before]
        ids = [id_ for id_, _ in before]
        sent = [number for number, is_silent in enumerate(silent) if not is_silent]
        for number, (id_, entry) in enumerate(before):
            if silent[number] and id_ not in self.entries and sent:
                near = next((other for other in reversed(sent) if other < number), sent[0])
                if ids[near] in self.entries:
                    self._dropped.append((entry, ids[:number], ids[number:]))

    def left_out(self) -> Iterator[UnsentWords]:
        for entry in self.entries.values():
            if _is_silent(entry):
                yield UnsentWords(entry.uid, entry.slot, entry.value)
        for entry, before, after in self._dropped:
            place = self._place_between(before, after) if entry.value.get("id") not in self.entries else None
            if place is not None:
                yield UnsentWords(entry.uid, entry.slot, entry.value, place)

    def _place_between(self, before: Sequence[Any], after: Sequence[Any]) -> tuple[int, Slot] | None:
        """Where in a list of messages one belongs that came after some messages and before others."""
        previous = next((id_ for id_ in reversed(before) if id_ in self.entries), None)
        near = previous if previous is not None else next((id_ for id_ in after if id_ in self.entries), None)
        if near is None:
            return None
        response = self.entries.get(f"{near}_response") if previous is not None else None
        uid, slot = (response or self.entries[near]).writes[0]
        return (uid, (*slot[:-1], int(slot[-1]) + (previous is not None))) if slot else None


def _is_silent(entry: Entry) -> bool:
    return is_unread(entry) and not any(block.form for block in dialect.blocks_of(entry.value.get("content"), 0, ()))


def is_unread(entry: Entry) -> bool:
    """Whether the agent leaves a user's message out; one with a call's result in another API's form says something."""
    return entry.value.get("type") == "user" and is_left_out(entry.value.get("content"))


def _turns(entries: Iterable[Entry]) -> Iterator[GeminiTurn]:
    """What is sent, one entry after the other."""
    for entry in entries:
        content = entry.value.get("content")
        said = dialect.blocks_of(content, entry.uid, (*entry.slot, "content"))
        match entry.value.get("type"):
            case "user":
                if not _is_silent(entry):
                    yield GeminiTurn("user", entry, said)
            case "gemini":
                yield from _response(entry, said if content else ())


def _response(entry: Entry, said: tuple[Block, ...]) -> Iterator[GeminiTurn]:
    found = entry.value.get("toolCalls")
    calls = [(n, call) for n, call in enumerate(found) if isinstance(call, dict)] if isinstance(found, list) else []
    silent = bool(entry.value.get("thoughts"))
    if any(block.kind in ("call", "thinking") for block in said):
        blocks = said  # the calls beside it are these
    else:
        blocks = (*said, *(dialect.call_block(call, entry.uid, (*entry.slot, "toolCalls", n)) for n, call in calls))
    if not blocks and not silent:
        return
    yield GeminiTurn("assistant", entry, blocks)
    results = tuple(block for number, call in calls for block in _results(entry, number, call))
    if results:
        yield GeminiTurn("user", entry, results, results=True)


def _results(entry: Entry, number: int, call: dict[str, Any]) -> tuple[Block, ...]:
    result, slot = call.get("result"), (*entry.slot, "toolCalls", number, "result")
    if isinstance(result, str):
        return (dialect.written_result(result, call, entry.uid, slot),) if result else ()
    return dialect.blocks_of(result, entry.uid, slot) if result else ()


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    beside_it, facts = view.beside, part_facts(view)
    history = history_of(items if facts is None else as_file(items, facts))
    history.items = items
    messages = tuple(_messages(history.turns))
    sent = {uid for message in messages for uid in message.records}
    scopes: dict[int, Scope] = malformed_in(items)
    beside = [*history.gone, *(entry for entry in history.entries if entry.uid not in sent)]
    scopes.update((entry.uid, "inactive") for entry in beside if entry.uid not in sent and _is_talk(entry.value))
    models = (entry.value.get("model") for entry in reversed(history.entries))
    return Transcript(
        messages,
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=history,
        session_id=as_text(history.header.get("sessionId")),
        folder=beside_it.once("folder", lambda: _project_in(beside_it)) if beside_it is not None else None,
        model=next((model for model in models if isinstance(model, str)), None) if facts is None else facts.model,
        scopes=scopes,
        inactive_blocks=pairs_in(block for turn in _turns(history.gone) for block in turn.blocks),
        frame=None if facts is None else BETWEEN,
    )


def _project_in(beside: Beside) -> str | None:
    """The project of a session, which the agent notes in the folder above."""
    return beside.start(f"../{PROJECT}", 4096, "..").decode("utf-8", "replace").strip() or None


def _is_talk(value: Mapping[str, Any]) -> bool:
    return value.get("type") in TALK


def _messages(turns: Iterable[GeminiTurn]) -> Iterator[Message]:
    """Turns of one role in a row are one message, as they are sent."""
    run: list[GeminiTurn] = []
    for turn in turns:
        if not turn.blocks:
            continue
        if run and run[-1].role != turn.role:
            yield _message(run)
            run = []
        run.append(turn)
    if run:
        yield _message(run)


def _message(run: Sequence[GeminiTurn]) -> Message:
    blocks = tuple(block for turn in run for block in turn.blocks)
    value: dict[str, Any] = {"role": run[0].role, "content": [block.value for block in blocks]}
    if isinstance(time := run[0].entry.value.get("timestamp"), str):
        value["timestamp"] = time
    return Message(run[0].role, blocks, tuple(dict.fromkeys(turn.entry.uid for turn in run)), "blocks", value)


def is_named(header: Mapping[str, Any]) -> bool:
    return bool(header.get("sessionId")) and bool(header.get("projectHash"))


def subagent_sessions(items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterable[SubagentSession]:
    folder = transcript.session_id or ""
    if not folder or os.path.basename(folder) != folder:
        return
    for name in beside.names(folder):
        if name.endswith(".jsonl"):
            yield SubagentSession(beside.path.parent / folder / name, name[:-6], None)


def usage(value: Any) -> Usage | None:
    tokens = value.get("tokens") if isinstance(value, dict) else None
    written = count_in(tokens, "output", "thoughts")
    return usage_of(count_in(tokens, "input"), written)
