"""Continue's sessions: one document, each message with the results of its calls. As measured on CLI 1.5.47.

The command line and the extension write the same file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects import continue_dev as dialect
from toolpair.dialects import openai_chat
from toolpair.formats.continue_dev.detection import CONTEXT
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.part_of_file import part_facts
from toolpair.formats.format import AS_RESUMED, Item, Usage, View
from toolpair.source.record_values import BOM
from toolpair.transcript.draft import Slot
from toolpair.transcript.model import Block, Message, Scope, Transcript

ANEW: Final = "Continue begins an empty session in its place"
NEWEST: Final = "1.5.47"
STOPS: Final = "Continue does not start with this session: an entry of its history has no message that can be sent."
NO_LIST: Final = "Continue does not start with this session: an entry of its history has no list `contextItems`."
TITLE: Final = "Continue"
_BEGUN: Final = ("generating", "generated", "calling")
"""States of a call that has not ended."""


class Unfolded(Struct, eq=False):
    """One message of a record: its own, or a result in it."""

    item: Item
    slot: Slot
    value: Any
    """As the API is sent it; None where the record has no message."""
    own: bool
    message: Message | None
    """The transcript's."""
    alone: Message | None
    """The same, of a record that holds nothing else."""


class UnfoldedHistory(Struct, eq=False):
    """What Continue makes of a file's records."""

    items: Sequence[Item]
    parts: Sequence[Unfolded]
    silent: Mapping[int, Mapping[int, int | None]]
    """uid of a record -> the states in it that say nothing, each with the number of the call that waits for it."""
    waiting: frozenset[int]
    """id() of each call whose state has no output yet."""
    marked: bool
    """The file begins with a byte order mark."""
    copies: frozenset[int] = frozenset()
    """uids of items of the extension that repeat a result: it leaves them out when it sends."""


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    parts: list[Unfolded] = []
    silent: dict[int, dict[int, int | None]] = {}
    waiting: set[int] = set()
    scopes: dict[int, Scope] = {}
    copies = frozenset(_copies(items))
    for item in items:
        raw = dialect.message_of(item.value)
        value = dialect.as_chat(raw) if raw is not None else None
        if item.uid in copies:
            parts.append(Unfolded(item, (dialect.MESSAGE,), value, True, None, None))
            scopes[item.uid] = "inactive"
            continue
        own = _unfolded(item, (dialect.MESSAGE,), value, len(parts), own=True)
        parts.append(own)
        if own.message is None:
            scopes[item.uid] = "malformed"
        quiet = _silent(item.value, own.message.calls if own.message is not None else (), waiting)
        if quiet:
            silent[item.uid] = quiet
        for number, state in enumerate(dialect.states_of(item.value)):
            if number not in quiet:
                said = dialect.state_as_chat(state)
                parts.append(_unfolded(item, (dialect.STATES, number), said, len(parts), own=False))
    facts = part_facts(view)
    models = (_usage(item.value).get("model") for item in reversed(items))
    return Transcript(
        tuple(part.message for part in parts if part.message is not None),
        layout="tool_messages",
        native=True,
        agent=TITLE,
        agent_facts=UnfoldedHistory(items, parts, silent, frozenset(waiting), _is_marked(view), copies),
        model=next((model for model in models if isinstance(model, str)), None) if facts is None else facts.model,
        scopes=scopes,
        frame=None if facts is None else BETWEEN,
    )


def _copies(items: Sequence[Item]) -> Iterator[int]:
    """The uids of the extension's items with results that the states of the calls before them have as well."""
    answered = False
    for item in items:
        message = dialect.message_of(item.value) or {}
        if message.get("role") != "tool":
            states = dialect.states_of(item.value)
            answered = bool(states) and all(isinstance(one, dict) and dialect.has_output(one) for one in states)
        elif answered and dialect.is_of_extension(item.value):
            yield item.uid


def _unfolded(item: Item, at: Slot, value: Any, place: int, *, own: bool) -> Unfolded:
    alone = openai_chat.message_of(value, place, ())
    message = None
    if alone is not None:
        blocks = (replace(b, record=item.uid, slot=dialect.slot_of(b.slot, at)) for b in alone.blocks)
        message = replace(alone, blocks=tuple(blocks), records=(item.uid,))
    return Unfolded(item, at, value, own, message, alone)


def _silent(item: Any, calls: Sequence[Block], waiting: set[int]) -> dict[int, int | None]:
    """The states that are no results: what is no state, and those of calls that did not end."""
    found: dict[int, int | None] = {}
    states = dialect.states_of(item)
    answered = [state.get("toolCallId") for state in states if isinstance(state, dict) and dialect.has_output(state)]
    free = list(range(len(calls)))
    for id_ in answered:
        at = next((n for n in free if calls[n].id == id_), None)
        if at is not None:
            free.remove(at)
    for number, state in enumerate(states):
        if not isinstance(state, dict):
            found[number] = None
        elif not dialect.has_output(state) and state.get("status", _BEGUN[0]) in _BEGUN:
            at = next((n for n in free if calls[n].id == state.get("toolCallId")), None)
            if at is not None:
                free.remove(at)
                waiting.add(id(calls[at]))
                found[number] = at
    return found


def _is_marked(view: View) -> bool:
    return view.beside is not None and view.beside.start(view.beside.path.name, len(BOM)) == BOM


def _usage(item: Any) -> Mapping[str, Any]:
    found = (dialect.message_of(item) or {}).get("usage")
    return found if isinstance(found, dict) else {}


def has_context(value: dict[str, Any]) -> bool:
    """Whether an entry has a list of what was attached to it, which Continue wants of each one."""
    found = value.get(CONTEXT)
    return found == "" or (isinstance(found, list) and None not in found)


def with_outer(transcript: Transcript, outer: Mapping[str, Any]) -> Transcript:
    named = {"session_id": outer.get("sessionId"), "folder": folder_in(outer)}
    return replace(transcript, **{key: value for key, value in named.items() if isinstance(value, str)})


def usage(value: Any) -> Usage | None:
    usage = _usage(value)
    written, read = count_in(usage, "completion_tokens"), count_in(usage, "prompt_tokens")
    return usage_of(read, written)


def folder_in(outer: Mapping[str, Any]) -> str | None:
    """The folder, which the extension writes as an address."""
    found = outer.get("workspaceDirectory")
    if not isinstance(found, str) or not found.startswith("file://"):
        return found if isinstance(found, str) and found else None
    from urllib.parse import unquote, urlsplit

    return unquote(urlsplit(found).path) or None
