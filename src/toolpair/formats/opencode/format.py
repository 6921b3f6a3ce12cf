"""opencode's and Kilo's sessions: rows of a database, messages and their parts. As measured on 1.18.33 and 7.7.9.

Before 1.2 each row was a file of a folder, as measured on 1.1.65.

What is sent of a session was read in the agents' own code and compared with what they send.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects import opencode as dialect
from toolpair.dialects.block_values import whole_characters
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.clock import count_in, milliseconds_in, usage_of
from toolpair.formats.engine.reading.reading import blocks_by_key, malformed_in, pairs_in
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.engine.reading.turns import fates_of
from toolpair.formats.format import (
    AS_RESUMED,
    Beside,
    Damage,
    Item,
    ResumeEffect,
    SentMessage,
    SentPart,
    SentRequest,
    SubagentSession,
    Usage,
    View,
    profile_of,
)
from toolpair.formats.opencode.history import (
    KILO,
    MESSAGE,
    OPENCODE,
    PART,
    SESSION,
    STOPS,
    History,
    StoredMessage,
    compaction_in,
    data_in,
    history_in,
    history_of,
    is_sent,
    is_unreadable,
    model_of,
    text_in,
)
from toolpair.rules.context import Context
from toolpair.source.rows.layout import FACTS
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import COMPACTED, UNDONE, Block, Boundary, Damaged, Message, Scope, Transcript
from toolpair.transcript.output_copies import Copies, Copy

# --- data --------------------------------------------------------------------------------------------------

NEWEST: Final = {OPENCODE: "1.18.33", KILO: "7.7.9"}
LAST_WITH_FOLDER: Final = {OPENCODE: "1.1.65", KILO: "1.0"}
"""The last versions that read a folder. Kilo's was not measured, only that later ones move it into their database."""
_PROFILES: Final = {
    "anthropic": "anthropic",
    "google-vertex-anthropic": "anthropic",
    "google": "gemini",
    "google-vertex": "gemini",
    "amazon-bedrock": "bedrock-converse",
    "mistral": "mistral",
}
"""`providerID` of a response -> the profile that its session is checked against."""
_MEDIA_IN_RESULTS: Final = ("anthropic", "google-vertex-anthropic", "openai", "amazon-bedrock", "xai")
"""Providers whose models are sent the files of a result inside it."""
_NOT_FOR_CLAUDE: Final = re.compile(r"[^a-zA-Z0-9_-]")
_NOT_FOR_MISTRAL: Final = re.compile(r"[^a-zA-Z0-9]")
_MISTRALS: Final = ("mistral", "devstral", "codestral", "pixtral", "mixtral")
_NOT_BEFORE: Final = "xai"
_MEDIA: Final = "Attached media from tool result:"
_MEDIA_BEFORE: Final = "Attached image(s) from tool result:"


# --- the transcript ----------------------------------------------------------------------------------------


def _messages(message: StoredMessage, history: History) -> Iterator[Message]:
    """What a message is sent as: each step of a response, and the results of its calls."""
    uid = message.uid if message.uid is not None else message.parts[0].uid
    for said, results in _steps(message, history):
        if said:
            yield _message(message.role, said, uid, message)
        if results:
            yield _message("user", results, uid, message)


def _steps(message: StoredMessage, history: History) -> Iterator[tuple[list[Block], list[Block]]]:
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
            for block in dialect.assistant_blocks(data, part.uid, _takes_files(history), history.in_folder):
                (results if block.kind == "result" else said).append(block)
    yield said, results


def _takes_files(history: History) -> bool:
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


def _read(items: Sequence[Item]) -> Transcript:
    history = history_in(items)
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
    )


class _OfRows(Copies):
    """Outputs that the calls' own rows keep and that are not sent: the row says whose they are, whatever the id."""

    def __init__(self, history: History) -> None:
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

    def files_naming(self, id_: str) -> Sequence[str]:
        return ()

    def __getitem__(self, id_: str) -> tuple[Any, str]:
        rows = self._rows[id_]
        if len(rows) != 1:
            raise KeyError(id_)
        found = self._of[rows[0]]
        return found.content, found.where

    def __iter__(self) -> Iterator[str]:
        return (id_ for id_, rows in self._rows.items() if len(rows) == 1 and rows[0] in self._of)

    def __len__(self) -> int:
        return sum(1 for _ in self)


# --- what is sent ------------------------------------------------------------------------------------------


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = history_of(transcript)
    history = known if known.items is items else history_in(items)
    own = blocks_by_key(transcript)
    said_for_files = _MEDIA_BEFORE if history.in_folder else _MEDIA
    sent: list[SentMessage] = []
    for message in history.active:
        if not is_sent(message):
            continue
        data = {part.uid: data_in(part) for part in message.parts}
        is_own = (message.info.get("providerID"), message.info.get("modelID")) == history.model
        for said, results in _steps(message, history):
            of_call = {block.record: own.get((block.record, block.slot), block) for block in results}
            answers: list[SentPart] = []
            files: list[SentPart] = []
            parts: list[SentPart] = []
            for block in (own.get((block.record, block.slot), block) for block in said):
                value = _sent_value(block, data[block.record], is_own, history.in_folder)
                if value is None:
                    continue
                if block.kind != "call":
                    parts.append(SentPart(value, block))
                else:
                    id_ = sent_id(block.id, history.model)
                    parts.append(SentPart(value if id_ == block.id else {**value, "id": id_}, block))
                    if answer := _answer(id_, of_call.get(block.record), data[block.record], history.in_folder):
                        answers.append(answer)
                    if not _takes_files(history):
                        files += (SentPart(dialect.media_of(file)) for file in dialect.files_of(data[block.record]))
            sent += (SentMessage(role, tuple(of)) for role, of in ((message.role, parts), ("user", answers)) if of)
            if files:
                sent.append(SentMessage("user", (SentPart({"type": "text", "text": said_for_files}), *files)))
    refuses = f"{history.agent} cannot send what this session says: {STOPS}." if history.failing else None
    read = [item.value for item in history.items[history.read_from :]]
    if any(isinstance(value, Damaged) or is_unreadable(value, history.in_folder) for value in read):
        refuses = f"{history.agent} cannot load a {'file' if history.in_folder else 'row'} of this session: {STOPS}."
    if history.lost is not None:
        refuses = f"{history.agent} cannot load this session: its own file is not JSON."
    if history.strays:
        refuses = (
            f"{history.agent} cannot load this session: {history.strays[0]} is in its way; move that file elsewhere."
        )
    return SentRequest(history.agent, version_of(history), tuple(sent), fates_of(own.values(), sent), refuses)


def version_of(history: History) -> str:
    """The version that was measured of what resumes the session."""
    return (LAST_WITH_FOLDER if history.in_folder else NEWEST)[history.agent]


def sent_id(id_: Any, model: tuple[Any, Any]) -> Any:
    """The id that a call is sent with: for some models the agent writes it otherwise, on both sides."""
    name = model[1].lower() if isinstance(model[1], str) else ""
    if not isinstance(id_, str):
        return id_
    if "claude" in name:
        return _NOT_FOR_CLAUDE.sub("_", id_)
    if model[0] == "mistral" or any(one in name for one in _MISTRALS):
        return _NOT_FOR_MISTRAL.sub("", id_)[:9].ljust(9, "0")
    return id_


def _answer(id_: Any, result: Block | None, data: dict[str, Any], before: bool) -> SentPart | None:
    """The result that a call with this id is sent with."""
    if result is None and dialect.state_of(data).get("status") not in dialect.WAITING:
        return None
    if result is None:
        return SentPart({"type": "tool_result", "tool_use_id": id_, "content": dialect.INTERRUPTED, "is_error": True})
    value = result.value if before else whole_characters(result.value)
    return SentPart(value if id_ == result.id else {**value, "tool_use_id": id_}, result)


def _sent_value(block: Block, data: dict[str, Any], is_own: bool, before: bool) -> Any:
    """A block as it goes out; the same object when nothing is changed, None when it is left out."""
    value = block.value
    if block.kind == "call":
        state = dialect.state_of(data)
        if state.get("status") not in _STATES:
            return None
        if "input" not in state:
            return {key: found for key, found in value.items() if key != "input"}
    if block.kind == "thinking" and not is_own and not before:
        words = value.get("thinking")
        return {"type": "text", "text": words} if isinstance(words, str) and words.strip() else None
    if block.kind == "text" and isinstance(value, dict) and value.get("text") == "":
        return None
    return whole_characters(value) if block.kind in ("text", "thinking") and not before else value


_STATES: Final = (*dialect.WAITING, "completed", "error")


# --- the format --------------------------------------------------------------------------------------------


_COLUMNS: Final = frozenset({"data", "session_id", "project_id"})
"""Columns of which each of its rows has one."""


def sniff(values: Sequence[Any]) -> int:
    first = next((value for value in values if isinstance(value, dict)), {})
    own = row_of(first, SESSION)
    of_folder = row_of(first, FACTS).get("folder") is True and {"id", "project_id", "data"} <= own.keys()
    return 96 if of_folder or {"id", "slug", "directory", "time_updated"} <= own.keys() else 0


def knows(value: dict[str, Any]) -> bool:
    rows = [row for table in (SESSION, MESSAGE, PART) if (row := row_of(value, table))]
    return FACTS in value or any("id" in row and row.keys() & _COLUMNS for row in rows)


def profile_for(values: Sequence[Any]) -> str:
    """That of the provider that was asked last."""
    provider, _ = model_of([dialect.data_of(value, MESSAGE) for value in values])
    return profile_of(provider, _PROFILES)


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    return _read(items)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    from toolpair.formats.opencode.writing import Rows

    return Rows(items, transcript, history_of(transcript)).run(edits)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    from toolpair.formats.opencode.checks import damage

    return list(damage(history_of(transcript), found))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    from toolpair.formats.opencode.checks import check

    check(context, history_of(context.transcript))


def subagent_sessions(items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterable[SubagentSession]:
    from toolpair.formats.opencode.subagents import subagent_sessions_of

    return subagent_sessions_of(history_of(transcript), beside)


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
