"""The transcript of opencode's and Kilo's sessions: messages and their parts. As measured on 1.18.33 and 7.7.9.

Before 1.2 each row was a file of a folder, as measured on 1.1.65.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects import opencode as dialect
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import count_in, milliseconds_in, usage_of
from toolpair.formats.engine.reading.reading import malformed_in, pairs_in
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.format import AS_RESUMED, Item, Usage, View
from toolpair.formats.opencode.detection import MESSAGE, PART
from toolpair.formats.opencode.history import (
    KILO,
    SessionFacts,
    StoredHistory,
    StoredMessage,
    compaction_in,
    data_in,
    history_in,
    is_sent,
    text_in,
)
from toolpair.transcript.model import COMPACTED, UNDONE, Block, Boundary, Message, Scope, Transcript
from toolpair.transcript.output_copies import Copies, Copy

_MEDIA_IN_RESULTS: Final = ("anthropic", "google-vertex-anthropic", "openai", "amazon-bedrock", "xai")
"""Providers whose models are sent the files of a result inside it."""
_NOT_BEFORE: Final = "xai"


def _messages(message: StoredMessage, history: StoredHistory) -> Iterator[Message]:
    """What a message is sent as: each step of a response, and the results of its calls."""
    uid = message.uid if message.uid is not None else message.parts[0].uid
    for said, results in steps(message, history):
        if said:
            yield _message(message.role, said, uid, message)
        if results:
            yield _message("user", results, uid, message)


def steps(message: StoredMessage, history: StoredHistory) -> Iterator[tuple[list[Block], list[Block]]]:
    """The steps of a message: what is said in each, and the results of its calls."""
    said: list[Block] = []
    results: list[Block] = []
    for part in message.parts:
        data = data_in(part)
        if message.role == "user":
            said += dialect.user_blocks(data, part.uid)
        elif type_name(data) == "step-start":
            yield said, results
            said, results = [], []
        elif not (history.agent == KILO and _is_passing(data)):
            for block in dialect.assistant_blocks(data, part.uid, takes_files(history), history.in_folder):
                (results if block.kind == "result" else said).append(block)
    yield said, results


def takes_files(history: StoredHistory) -> bool:
    provider = history.model[0]
    return provider in _MEDIA_IN_RESULTS and not (history.in_folder and provider == _NOT_BEFORE)


def _is_passing(data: dict[str, Any]) -> bool:
    """Whether it is a text that Kilo shows and does not send."""
    metadata = data.get("metadata")
    transient = isinstance(metadata, dict) and metadata.get("kilocode.lifecycle") == "transient"
    return type_name(data) == "text" and (transient or bool(data.get("ignored")))


def _message(role: Any, blocks: Sequence[Block], uid: int, of: StoredMessage) -> Message:
    value: dict[str, Any] = {"role": role, "content": [block.value for block in blocks]}
    records = dict.fromkeys((uid, *(block.record for block in blocks)))
    summary = compaction_in(of) is not None or (of.role == "assistant" and of.info.get("summary") is True)
    note = "summary" if summary else None
    return Message(role, tuple(blocks), tuple(records), "blocks", value, note)


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    around = None if view.surroundings is None else view.surroundings.agent_facts
    history = history_in(items, around if isinstance(around, SessionFacts) else None)
    scopes: dict[int, Scope] = malformed_in(items)
    active = {message.id: message for message in history.active}
    messages: list[Message] = []
    boundaries: list[Boundary] = []
    for message in history.active:
        if message is history.summary:
            boundaries.append(Boundary(len(messages), COMPACTED, message.uid))
        if is_sent(message) or (isinstance(message.role, str) and message.role not in ("user", "assistant")):
            messages += _messages(message, history)
    inactive: list[Block] = []
    for message in history.stored:
        found = active.get(message.id)
        sent = {part.uid for part in found.parts} if found is not None and is_sent(found) else set()
        left = [part for part in message.parts if part.uid not in sent]
        if left and (found is None or not sent):
            scopes.update((uid, "inactive") for uid in (message.uid, *(part.uid for part in left)) if uid is not None)
        inactive += (block for part in left for block in dialect.assistant_blocks(data_in(part), part.uid))
    undone = history.session.get("revert")
    if isinstance(undone, dict) and any(one.id == undone.get("messageID") for one in history.stored):
        boundaries.append(Boundary(len(messages), UNDONE, None))
    return Transcript(
        tuple(messages),
        merged=True,
        native=True,
        agent=history.agent,
        agent_facts=history,
        agent_version=text_in(history.session.get("version")) or None,
        session_id=text_in(history.session.get("id")) or None,
        folder=text_in(history.session.get("directory")) or None,
        model=text_in(history.model[1]) or None,
        scopes=scopes,
        inactive_blocks=pairs_in(inactive),
        boundaries=tuple(boundaries),
        copies=_OfRows(history),
        frame=None if view.surroundings is None else BETWEEN,
    )


class _OfRows(Copies):
    """Outputs that the calls' own rows keep and that are not sent: the row says whose they are, whatever the id."""

    def __init__(self, history: StoredHistory) -> None:
        self._of: dict[int, Copy] = {}
        self._rows: dict[str, list[int]] = {}
        for part in (part for message in history.active for part in message.parts):
            data = data_in(part)
            if type_name(data) != "tool":
                continue
            if isinstance(data.get("callID"), str):
                self._rows.setdefault(data["callID"], []).append(part.uid)
            if (kept := dialect.kept_output(data, history.in_folder)) is not None:
                self._of[part.uid] = Copy(kept[0], "in what its own row keeps of it", is_error=kept[1])

    def of_call(self, call: Block, is_open: bool = False) -> Sequence[Copy]:
        found = self._of.get(call.record)
        return () if found is None else (found,)

    def __getitem__(self, id_: str) -> tuple[Any, str]:
        rows = self._rows[id_]
        if len(rows) != 1:
            raise KeyError(id_)
        found = self._of[rows[0]]
        return found.content, found.where

    def __iter__(self) -> Iterator[str]:
        return (id_ for id_, rows in self._rows.items() if len(rows) == 1 and rows[0] in self._of)


def time_of(value: Any) -> float | None:
    row: Mapping[str, Any] = row_of(value, MESSAGE) or row_of(value, PART)
    data = row.get("data")
    made = data.get("time") if isinstance(data, dict) and "time_created" not in row else None
    found = milliseconds_in(row, "time_created")
    return found if found is not None else milliseconds_in(made, "created") or milliseconds_in(made, "start")


def usage(value: Any) -> Usage | None:
    data = dialect.data_of(value, MESSAGE)
    tokens = data.get("tokens") if data.get("role") == "assistant" else None
    cache = tokens.get("cache") if isinstance(tokens, dict) else None
    written = count_in(tokens, "output", "reasoning")
    read = count_in(tokens, "input") + count_in(cache, "read", "write")
    return usage_of(read, written)


def seconds_of(value: Any) -> float | None:
    time = dialect.state_of(dialect.data_of(value)).get("time")
    start, end = milliseconds_in(time, "start"), milliseconds_in(time, "end")
    return end - start if start is not None and end is not None and end >= start else None
