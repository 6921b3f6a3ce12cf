"""The rows of an opencode session as messages with their parts, and which of them the agent goes on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.format import Item
from toolpair.formats.opencode.detection import MESSAGE, PART, SESSION, model_of
from toolpair.transcript.model import Transcript

OPENCODE: Final = "opencode"
KILO: Final = "Kilo CLI"
STOPS: Final = "no prompt works in this session any more"
_ABORTED: Final = "MessageAbortedError"


class StoredPart(Struct, frozen=True, eq=False):
    uid: int
    id: str
    data: Any


class StoredMessage(Struct, eq=False, dict=True):
    """A message's row with its parts. `uid` is None where the row is gone."""

    uid: int | None
    id: str
    time: int
    data: Any
    parts: list[StoredPart]
    by_id: bool = False
    """Whether the agent sorts messages by id alone, and not by time."""

    @property
    def place(self) -> tuple[int, str]:
        """What messages are sorted by."""
        return (0 if self.by_id else self.time), self.id

    @cached_property
    def info(self) -> dict[str, Any]:
        return self.data if isinstance(self.data, dict) else {}

    @cached_property
    def role(self) -> Any:
        return self.info.get("role")


class SessionFacts(Struct, frozen=True, eq=False):
    """What all rows of a session show, for those that are only some."""

    session: dict[str, Any]
    kilo: bool
    folder: bool
    model: tuple[Any, Any]


class StoredHistory(Struct, eq=False):
    """What the agent makes of a session's rows."""

    items: Sequence[Item]
    session: dict[str, Any]
    agent: str
    in_folder: bool
    """Whether the records are files of a folder, as before opencode 1.2, rather than rows."""
    lost: int | None
    """uid of the session's own file if that says nothing, so that the agent does not find the session."""
    strays: Sequence[str]
    """Files among those of the session that the agent cannot load, by which it does not load the session either."""
    read_from: int
    """The position of the first record that the agent reads to go on."""
    stored: Sequence[StoredMessage]
    """All messages, in the agent's order."""
    active: Sequence[StoredMessage]
    """Those that it goes on with, in the order in which they are sent."""
    summary: StoredMessage | None
    """The request for the summary that stands for what came before it."""
    model: tuple[Any, Any]
    """Provider and name of the model that continues."""
    failing: frozenset[int]
    """uids of the rows that the agent fails on when it sends them."""
    around: SessionFacts | None = None
    """What is known of the session where these are only some of its rows."""


def text_in(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _time_of(row: dict[str, Any]) -> int:
    """When a row was made; a file says it in its content."""
    data = row.get("data")
    time = data.get("time") if isinstance(data, dict) else None
    made = time.get("created", time.get("start")) if isinstance(time, dict) else None
    return _whole(row.get("time_created", made))


def session_in(row: dict[str, Any]) -> dict[str, Any]:
    """What the row of a session says; that of a folder holds it as JSON."""
    data = row.get("data")
    return {**data, "id": row.get("id")} if isinstance(data, dict) else row


def history_in(items: Sequence[Item], around: SessionFacts | None = None) -> StoredHistory:
    facts = facts_in(items)
    in_folder = facts.get("folder") is True or (around is not None and around.folder)
    named = facts.get("strays")
    strays = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    session: dict[str, Any] = around.session if around is not None else {}
    lost: int | None = None
    messages: dict[str, StoredMessage] = {}
    parts: dict[str, list[StoredPart]] = {}
    times: dict[str, int] = {}
    for item in items:
        if row := row_of(item.value, SESSION):
            session = session or session_in(row)
            if in_folder and not isinstance(row.get("data"), dict):
                lost = item.uid
        elif row := row_of(item.value, MESSAGE):
            id_ = text_in(row.get("id"))
            messages.setdefault(id_, StoredMessage(item.uid, id_, _time_of(row), row.get("data"), [], in_folder))
        elif row := row_of(item.value, PART):
            id_ = text_in(row.get("message_id"))
            parts.setdefault(id_, []).append(StoredPart(item.uid, text_in(row.get("id")), row.get("data")))
            times.setdefault(id_, _time_of(row))
    for id_, found in parts.items():
        message = messages.setdefault(id_, StoredMessage(None, id_, times[id_], None, [], in_folder))
        message.parts = found
    stored = list(messages.values())
    if not in_folder:  # the files of one are in order, also where their names are not, as in a redacted copy
        stored.sort(key=lambda message: message.place)
        for message in stored:
            message.parts.sort(key=lambda part: part.id)
    else:
        _guess_times(stored)
    revert = session.get("revert")
    kept = _after_undoing([one for one in stored if one.uid is not None], revert)
    active, summary = _after_the_last_summary(kept) if in_folder else _after_compaction(kept)
    agent = KILO if facts.get("kilo") is True or (around is not None and around.kilo) else OPENCODE
    failing = frozenset(uid for message in active if is_sent(message) for uid in _failing(message, in_folder))
    # Before 1.2 the newest were read first, and after a summary no more.
    first = summary.uid if in_folder and summary is not None and not revert else None
    read_from = next((n for n, item in enumerate(items) if item.uid == first), 0)
    model = around.model if around is not None else model_of([one.data for one in stored])
    return StoredHistory(
        items, session, agent, in_folder, lost, strays, read_from, stored, active, summary, model, failing, around
    )


def _guess_times(stored: Sequence[StoredMessage]) -> None:
    """A message that does not say when it was made was made after the one before it: today's agent sorts by time."""
    later: list[int | None] = []
    known: int | None = None
    for message in reversed(stored):
        later.append(known)
        known = message.time or known
    for at, (message, following) in enumerate(zip(stored, reversed(later), strict=True)):
        if not message.time:
            before = stored[at - 1].time if at else (following or 1) - 2
            message.time = before + 1 if following is None else min(before + 1, following)


def _after_undoing(messages: list[StoredMessage], revert: Any) -> list[StoredMessage]:
    """The messages without those that the agent deletes with the next prompt."""
    given = revert if isinstance(revert, dict) else {}
    at = next((n for n, message in enumerate(messages) if message.id == given.get("messageID")), None)
    if at is None:
        return messages
    last = messages[at]
    if not given.get("partID") or last.by_id:
        return messages[:at]  # before 1.2 always the whole message
    end = next((n for n, part in enumerate(last.parts) if part.id == given["partID"]), len(last.parts))
    return [*messages[:at], StoredMessage(last.uid, last.id, last.time, last.data, last.parts[:end], last.by_id)]


def compaction_in(message: StoredMessage) -> dict[str, Any] | None:
    if message.role != "user":
        return None
    return next((part.data for part in message.parts if type_name(part.data) == "compaction"), None)


def _after_compaction(messages: Sequence[StoredMessage]) -> tuple[Sequence[StoredMessage], StoredMessage | None]:
    """What the agent goes on with: the last summary, what it kept besides, and what follows."""
    found: list[StoredMessage] = []
    summarised: set[Any] = set()
    until: Any = None
    ended = False
    for message in reversed(messages):
        found.append(message)
        info, asks = message.info, compaction_in(message)
        if until:
            ended = message.id == until
        elif asks is not None and message.id in summarised:
            until = asks.get("tail_start_id")
            ended = not until or message.id == until
        elif message.role == "assistant" and info.get("summary") and info.get("finish") and not info.get("error"):
            summarised.add(info.get("parentID"))
        if ended:
            break
    found.reverse()
    if not ended and not until:
        return found, None
    at = next((n for n in range(len(found) - 1, -1, -1) if "tail_start_id" in (compaction_in(found[n]) or {})), 0)
    asked = found[at]
    tail = (compaction_in(asked) or {}).get("tail_start_id")
    told = next((n for n in range(at + 1, len(found)) if _is_summary_of(found[n], asked)), -1)
    start = next((n for n, one in enumerate(found) if tail and one.id == tail), -1)
    if 0 <= start < at < told:
        return [*found[at : told + 1], *found[start:at], *found[told + 1 :]], asked
    return found, asked


def _after_the_last_summary(
    messages: Sequence[StoredMessage],
) -> tuple[Sequence[StoredMessage], StoredMessage | None]:
    """As `_after_compaction`, before 1.2: nothing else is kept, and a summary that failed counts."""
    summarised: set[Any] = set()
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if message.id in summarised and compaction_in(message) is not None:
            return messages[at:], message
        if message.role == "assistant" and message.info.get("summary") and message.info.get("finish"):
            summarised.add(message.info.get("parentID"))
    return messages, None


def _is_summary_of(message: StoredMessage, asked: StoredMessage) -> bool:
    info = message.info
    return message.role == "assistant" and bool(info.get("summary")) and info.get("parentID") == asked.id


def is_sent(message: StoredMessage) -> bool:
    """Whether the agent sends a message: it leaves out a response that ended in an error."""
    error = message.info.get("error")
    if message.role != "assistant" or not error:
        return message.role in ("user", "assistant")
    if not isinstance(error, dict) or error.get("name") != _ABORTED:
        return False
    return any(type_name(part.data) not in ("step-start", "reasoning") for part in message.parts)


def _failing(message: StoredMessage, in_folder: bool) -> Iterator[int]:
    """The uids of the parts that the agent cannot send."""
    for part in message.parts:
        data = part.data
        if data is None and in_folder:
            yield part.uid
        kind = type_name(data)
        if message.role == "assistant" and kind == "tool":
            if any(lacks(data)):
                yield part.uid
        elif kind in ("text", "reasoning") and not isinstance(data.get("text"), str):
            yield part.uid


def lacks(data: dict[str, Any]) -> Iterator[str]:
    """What a call's part must have for the agent to send it."""
    state = data.get("state")
    if not isinstance(state, dict):
        yield "state"
    elif state.get("status") == "completed":
        if state.get("output") is None:
            yield "output"
        if not isinstance(state.get("time"), dict):
            yield "time"
    if not isinstance(data.get("callID"), str):
        yield "callID"


def data_in(part: StoredPart) -> dict[str, Any]:
    return part.data if isinstance(part.data, dict) else {}


class Nearest(Struct, frozen=True, eq=False):
    """The messages around one: those before it, the nearest first, and then those after it."""

    messages: Sequence[StoredMessage]
    number: int
    itself: bool = True
    """Whether it is the first of them."""

    def __iter__(self) -> Iterator[StoredMessage]:
        first = self.number if self.itself else self.number - 1
        yield from map(self.messages.__getitem__, range(first, -1, -1))
        yield from map(self.messages.__getitem__, range(self.number + 1, len(self.messages)))


def new_info(role: str, time: int, near: Nearest) -> dict[str, Any]:
    """The data of a new message; `near` are the others, the nearest first."""
    like = next((one.info for one in near if one.role == role), {})
    asked = next((one for one in near if one.role == "user"), None)
    model = next((found for one in near if (found := model_of([one.data])) != (None, None)), ("unknown", "unknown"))
    agent = like.get("agent") or next((one.info["agent"] for one in near if one.info.get("agent")), "build")
    made: dict[str, Any] = {"role": role, "time": {"created": time}, "agent": agent}
    if role == "user":
        return {**made, "model": like.get("model", {"providerID": model[0], "modelID": model[1]})}
    none = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    ends = {"cost": 0, "tokens": none, "modelID": model[1], "providerID": model[0], "finish": "stop"}
    folder = {"cwd": "/", "root": "/"}
    made["time"] = {"created": time, "completed": time}
    parent = {"parentID": asked.id} if asked is not None else {}
    return {**parent, **made, "mode": like.get("mode", agent), "path": like.get("path", folder), **ends}


def new_session(history: StoredHistory) -> dict[str, Any]:
    """What a session's own file says, as far as its messages show it."""
    folders = (message.info.get("path") for message in history.stored)
    folder = next((path.get("cwd") for path in folders if isinstance(path, dict)), None)
    times = [message.time for message in history.stored] or [0]
    return {
        "id": history.session.get("id"),
        "slug": "recovered",
        "version": "1.1.65",
        "projectID": history.session.get("project_id"),
        "directory": text_in(folder) or "/",
        "title": "Recovered session",
        "time": {"created": min(times), "updated": max(times)},
    }


def is_unreadable(value: Any, in_folder: bool = False) -> bool:
    """Whether it is the row of a message that the agent fails on when it loads the session."""
    row = row_of(value, MESSAGE)
    data = row.get("data")
    if in_folder:
        return bool(row) and (data is None or isinstance(data, str))
    return bool(row) and (not isinstance(data, dict) or data.get("time") is None)


def with_ids(history: StoredHistory, table: str, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of a new row. A file repeats in its content what it is called, and has no other columns."""
    if not history.in_folder:
        return columns
    ids = {"id": columns["id"], "sessionID": columns["session_id"]}
    if table == PART:
        ids["messageID"] = columns["message_id"]
    data = columns["data"]
    named = {key: found for key, found in columns.items() if key not in ("time_created", "time_updated")}
    return {**named, "data": {**ids, **{key: found for key, found in data.items() if key not in ids}}}


def history_of(transcript: Transcript) -> StoredHistory:
    assert isinstance(transcript.agent_facts, StoredHistory)
    return transcript.agent_facts
