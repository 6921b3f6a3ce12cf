"""Continue's session files: one JSON document, each message with the results of its calls. As measured on CLI 1.5.47.

The command line and the extension write the same file. What is sent of it was read in Continue's own code and compared
with what it sends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects import continue_dev as dialect
from toolpair.dialects import openai_chat
from toolpair.dialects.item_types import type_name
from toolpair.dialects.openai_chat_writer import WRITER
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import no_message
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.writing.unfolded import Folded, Folding, Unfolded
from toolpair.formats.format import (
    AS_RESUMED,
    Damage,
    Fate,
    Item,
    ResumeEffect,
    SentMessage,
    SentPart,
    SentRequest,
    Usage,
    View,
)
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, OnResume, Problem
from toolpair.source.record_values import BOM
from toolpair.transcript.draft import DraftMessage, Slot
from toolpair.transcript.edits import ABSENT, Edit, SetField, SetInRecord
from toolpair.transcript.model import Block, Damaged, Message, Scope, Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.agent import Outcome
    from toolpair.formats.engine.agents.way_back import WayBack
    from toolpair.shell.machine import Machine

# --- data --------------------------------------------------------------------------------------------------

TITLE: Final = "Continue"
NEWEST: Final = "1.5.47"
_ROLES: Final = ("system", "user", "assistant", "tool", "thinking")
_BEGUN: Final = ("generating", "generated", "calling")
"""States of a call that has not ended."""
_STOPS: Final = "Continue does not start with this session: an entry of its history has no message that can be sent."
_NO_LIST: Final = "Continue does not start with this session: an entry of its history has no list `contextItems`."
_UNKNOWN: Final = "Only you know what it was meant to be."
_ANEW: Final = "Continue begins an empty session in its place"
_CONTEXT: Final = "contextItems"


class _Facts(Struct, eq=False):
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


# --- read --------------------------------------------------------------------------------------------------


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
    models = (_usage(item.value).get("model") for item in reversed(items))
    return Transcript(
        tuple(part.message for part in parts if part.message is not None),
        layout="tool_messages",
        native=True,
        agent=TITLE,
        agent_facts=_Facts(items, parts, silent, frozenset(waiting), _is_marked(view), copies),
        model=next((model for model in models if isinstance(model, str)), None),
        scopes=scopes,
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


# --- what is sent ------------------------------------------------------------------------------------------


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    facts = facts_of(transcript, _Facts)
    if facts.marked or any(isinstance(item.value, Damaged) for item in items):  # a new session is begun in its place
        blocks = (block for message in transcript.messages for block in message.blocks)
        return SentRequest(TITLE, NEWEST, (), {id(block): "dropped" for block in blocks})
    sent: list[SentMessage] = []
    parts = {(part.item.uid, part.slot): part for part in facts.parts}
    for item in facts.items:
        own = parts[item.uid, (dialect.MESSAGE,)]
        if own.message is not None:
            sent.append(SentMessage(own.value.get("role"), _said(own.message, item.value)))
        for number, state in enumerate(dialect.states_of(item.value)):
            result = parts.get((item.uid, (dialect.STATES, number)))
            if result is not None and result.message is not None:
                sent.append(SentMessage("tool", tuple(map(SentPart.of, result.message.blocks))))
            elif isinstance(state, dict):
                sent.append(SentMessage("tool", (SentPart(dialect.state_as_chat(state)),)))
    fates: dict[int, Fate] = {
        id(part.block): "sent" if part.value is part.block.value else "changed"
        for message in sent
        for part in message.parts
        if part.block is not None
    }
    refuses = None if all(map(_can_be_sent, facts.items)) else _STOPS
    if refuses is None and not all(_has_context(item.value) for item in facts.items):
        refuses = _NO_LIST
    return SentRequest(TITLE, NEWEST, tuple(sent), fates, refuses)


def _said(message: Message, item: dict[str, Any]) -> tuple[SentPart, ...]:
    """What a message says: a user's begins with what was attached to it."""
    context = "".join(map(_attached, _contexts(item)))
    if not context or not isinstance(message.value.get("content"), str):
        return tuple(SentPart(dialect.sent_call(b.value) if b.kind == "call" else b.value, b) for b in message.blocks)
    if not message.blocks:
        return (SentPart(context),)
    return tuple(SentPart(context + block.value, block) for block in message.blocks)


def _contexts(item: dict[str, Any]) -> Sequence[Any]:
    found = item.get(_CONTEXT) if item[dialect.MESSAGE].get("role") == "user" else None
    return found if isinstance(found, list) else ()


def _attached(one: Any) -> str:
    given = one if isinstance(one, dict) else {}
    return f'<context name="{given.get("name")}">\n{given.get("content")}\n</context>\n\n'


def _can_be_sent(item: Item) -> bool:
    """Whether Continue starts with this entry of a history."""
    message = dialect.message_of(item.value)
    if message is None or message.get("role") not in _ROLES:
        return False
    content, calls = message.get("content"), message.get("toolCalls")
    if message["role"] in ("user", "assistant", "thinking") and not isinstance(content, str):
        kinds = ("text", "imageUrl")
        if not isinstance(content, list) or not all(type_name(part) in kinds for part in content):
            return False
        if any(type_name(part) == "imageUrl" and not isinstance(part.get("imageUrl"), dict) for part in content):
            return False
    if message["role"] == "assistant" and isinstance(calls, list) and any(call is None for call in calls):
        return False
    states = item.value.get(dialect.STATES)
    if states and not isinstance(states, (list, str)):
        return False
    return all(_is_read(state) for state in dialect.states_of(item.value))


def _has_context(value: dict[str, Any]) -> bool:
    """Whether an entry has a list of what was attached to it, which Continue wants of each one."""
    found = value.get(_CONTEXT)
    return found == "" or (isinstance(found, list) and None not in found)


def _is_read(state: Any) -> bool:
    output = state.get("output") if isinstance(state, dict) else None
    texts_alone = not isinstance(output, str) or not output
    return state is not None and texts_alone and not (isinstance(output, list) and None in output)


# --- what becomes of problems ------------------------------------------------------------------------------


def _damage(damage: Damage) -> ResumeEffect | None:
    """Anything that is not JSON makes Continue begin a new session."""
    if damage.readable and damage.rule in (
        "record.bad_utf8",
        "record.lone_surrogate",
        "record.duplicate_key",
        "record.big_number",
    ):
        return effect_on_readers(damage, TITLE)
    whole = damage.values[0] if damage.values else damage.partial
    message = dialect.message_of(whole) or {}
    said = isinstance(message.get("role"), str) and "content" in message
    complete = said and (bool(damage.values) or "toolCalls" not in message or next(reversed(whole)) != dialect.MESSAGE)
    return ResumeEffect("loses", _ANEW, "dropped", "the whole history", complete=complete, begins_anew=True)


def _check(context: Context, facts: _Facts) -> None:
    """Entries that Continue cannot send, with which it does not start."""
    if facts.marked and facts.items:
        context.add(
            "record.bom",
            f"The file begins with a byte order mark, so {_ANEW}.",
            record=facts.items[0].uid,
            severity="error",
            impact="loses",
            cause=Cause("record.bom", "an editor left it"),
            no_fix="Save the file without a byte order mark (as UTF-8) in an editor.",
        )
    for part in facts.parts:
        item = part.item
        if item.uid in facts.copies:
            continue
        if part.own and part.message is None and not isinstance(item.value, Damaged):
            says = [found for found in item.value.values() if found] if isinstance(item.value, dict) else item.value
            text = "This entry of the history has no message, so Continue does not start with this session."
            no_message(context, item, text, empty=not says, no_fix=_UNKNOWN)
            continue
        if part.own and part.message is not None and not _has_context(item.value):
            _no_context(context, item)
        if part.own and part.message is not None and _lacks_content(part.message):
            context.add(
                "content.null",
                "The content of this message is null or absent, so Continue does not start with this session.",
                record=item.uid,
                about=part.message,
                severity="error",
                cause=Cause("content_null", "another program wrote this message"),
                fixes=(
                    Fix(
                        "empty-text", "write an empty text", (SetField(part.message, "content", ""),), recommended=True
                    ),
                ),
            )


def _no_context(context: Context, item: Item) -> None:
    value = item.value.get(_CONTEXT)
    kept = [found for found in value if found is not None] if isinstance(value, list) else []
    edit = SetInRecord(item.uid, (_CONTEXT,), kept)
    loses = "what stands there in place of a list" if value and not isinstance(value, list) else None
    title = f"take what is null out of `{_CONTEXT}`" if kept else f"write an empty `{_CONTEXT}`"
    context.add(
        "rollout.envelope",
        f"This entry of the history has no list `{_CONTEXT}`, so Continue does not start with this session.",
        record=item.uid,
        severity="error",
        cause=Cause("rollout.envelope", "another program wrote the entry, or it was cut off"),
        fixes=(Fix("write-envelope", title, (edit,), recommended=loses is None, loses=loses),),
        no_fix=_UNKNOWN if loses else None,
    )


def _lacks_content(message: Message) -> bool:
    return message.value.get("role") in ("user", "assistant") and message.value.get("content") is None


# --- the format --------------------------------------------------------------------------------------------


class _Folding(Folding):
    """The results of a record are the states of its calls; one without output is filled when its call is answered."""

    silent: Mapping[int, Mapping[int, int | None]]

    def new_record(self, record: Folded) -> Any:
        made = dialect.new_item(self.written(record.own))
        states = [dialect.new_state(self.written(one), ()) for one, _ in record.results]
        return {**made, dialect.STATES: states} if states else made

    def changes_of(self, record: Folded) -> Mapping[Slot, Any]:
        assert record.of is not None
        item, own, changes = record.of.item, record.own, dict[Slot, Any]()
        if own.changed and record.of.value is not None:
            raw = item.value[dialect.MESSAGE]
            changes[dialect.MESSAGE,] = dialect.from_chat(self.written(own), raw, record.of.value)
        old = dialect.states_of(item.value)
        states = self._states(record, old)
        if len(states) != len(old) or any(new is not was for new, was in zip(states, old, strict=True)):
            changes[dialect.STATES,] = states or ABSENT
        return changes

    def _states(self, record: Folded, old: Sequence[Any]) -> list[Any]:
        assert record.of is not None
        made: list[tuple[int, Any]] = []
        """For each state its place among the old ones, or that of the one before it."""
        waiting = dict(self._waiting(record))
        for message, part in record.results:
            last = made[-1][0] if made else -1
            if part is not None:
                place = part.slot[-1] if part.item is record.of.item else last
                made.append((int(place), self._state(message, part)))
                continue
            value = self.written(message)
            number = next((n for n, (_, id_) in waiting.items() if id_ == value.get("tool_call_id")), None)
            if number is None:
                calls = self._calls(record.own, record.of)
                made.append((last, dialect.new_state(value, [call for _, call, _ in calls])))
            else:
                state, id_ = waiting.pop(number)
                made.append((number, dialect.answered_state(_named(state, id_), value.get("content"))))
        for number, (state, id_) in waiting.items():
            at = next((n for n, (place, _) in enumerate(made) if place > number), len(made))
            made.insert(at, (number, _named(state, id_)))
        return [state for _, state in made]

    def _state(self, message: DraftMessage, part: Unfolded) -> Any:
        raw = part.item.value[dialect.STATES][part.slot[-1]]
        return dialect.changed_state(raw, self.written(message), part.value) if message.changed else raw

    def _waiting(self, record: Folded) -> Iterator[tuple[int, tuple[Any, Any]]]:
        """The states that say nothing and stay, each with the id that its call has now."""
        assert record.of is not None
        item = record.of.item
        ids = {number: id_ for number, _, id_ in self._calls(record.own, record.of)}
        for number, call in self.silent.get(item.uid, {}).items():
            state = item.value[dialect.STATES][number]
            if call is None:
                yield number, (state, ABSENT)
            elif call in ids:
                yield number, (state, ids[call])

    def _calls(self, own: DraftMessage, part: Unfolded) -> list[tuple[int, Any, Any]]:
        """The number, value and id of each call that is left."""
        known = part.alone.calls if part.alone is not None else ()
        if not own.had_blocks:
            return [(number, call.value, call.id) for number, call in enumerate(known)]
        place = {id(call): number for number, call in enumerate(known)}
        calls = [block for block in own.blocks if block.kind == "call"]
        return [(place.get(id(block.source), -1), block.value, block.id) for block in calls]


def _named(state: Any, id_: Any) -> Any:
    return state if id_ is ABSENT or state.get("toolCallId") == id_ else dialect.renamed_state(state, id_)


def sniff(values: Sequence[Any]) -> int:
    records = [value for value in values if isinstance(value, dict)]
    own = sum(is_own(record) for record in records)
    return 96 if own and own * 2 >= len(records) else 0


def with_outer(transcript: Transcript, outer: Mapping[str, Any]) -> Transcript:
    named = {"session_id": outer.get("sessionId"), "folder": _folder(outer)}
    return replace(transcript, **{key: value for key, value in named.items() if isinstance(value, str)})


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    facts = facts_of(transcript, _Facts)
    folding = _Folding(items, transcript, facts.parts, WRITER)
    folding.silent = facts.silent
    return folding.run(edits)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return [_damage(damage) for damage in found]


def check(context: Context, items: Sequence[Item], view: View) -> None:
    _check(context, facts_of(context.transcript, _Facts))


def usage(value: Any) -> Usage | None:
    usage = _usage(value)
    written, read = count_in(usage, "completion_tokens"), count_in(usage, "prompt_tokens")
    return usage_of(read, written)


def is_own(record: dict[str, Any]) -> bool:
    message = dialect.message_of(record)
    beside = isinstance(record.get(_CONTEXT), list) or isinstance(record.get(dialect.STATES), list)
    return message is not None and message.get("role") in _ROLES and beside and "type" not in record


def _folder(outer: Mapping[str, Any]) -> str | None:
    """The folder, which the extension writes as an address."""
    found = outer.get("workspaceDirectory")
    if not isinstance(found, str) or not found.startswith("file://"):
        return found if isinstance(found, str) and found else None
    from urllib.parse import unquote, urlsplit

    return unquote(urlsplit(found).path) or None


# --- the agent ---------------------------------------------------------------------------------------------


_OUTCOMES: Final[dict[str, Outcome]] = {
    **dict.fromkeys(("record.no_message", "content.null"), ("rejected", _STOPS, None)),
    "rollout.envelope": ("rejected", _NO_LIST, None),
}


class ContinueAgent(Agent):
    """Continue itself: `cn --resume` continues the session that was written last."""

    id = "continue"
    title = TITLE
    outcomes = _OUTCOMES
    variable = "CONTINUE_GLOBAL_DIR"
    usual_home = ".continue"
    suffix = ".json"
    program = Program(
        "cn",
        "Continue",
        r"[/\\]@continuedev[/\\]cli[/\\]",
        session_options=("--fork",),
        other_work=frozenset({"ls", "login", "logout", "remote", "serve", "review", "checks"}),
        package="@continuedev/cli",
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "sessions",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.source import peek

        root = self.roots(machine)[0]
        for entry in peek.entries(root):
            stat = peek.regular(entry) if entry.name.endswith(".json") and entry.name != "sessions.json" else None
            if stat is not None:
                yield self.found(entry.path, entry.name[:-5], stat, _recorded_folder(entry.path))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.source import peek

        words = peek.near_end(found.path, found.size, lambda data: peek.string_after(data, "editorState", last=True))
        return found.folder, peek.one_line(words)

    def project_of(self, path: str) -> str | None:
        return _recorded_folder(path) if self.in_place(_path(path), "") else None

    def in_place(self, path: Path, session_id: str) -> bool:
        return path.parent.name == "sessions" and path.suffix == ".json" and path.name != "sessions.json"

    def home_of(self, path: Path, session_id: str) -> Path | None:
        return path.parent.parent if self.in_place(path, session_id) else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        return self.roots(machine)[0] / f"{file.session_id}.json" if file.session_id else None

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.engine.agents.way_back import WayBack

        return WayBack(("cn", "--resume"), file.folder)

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        if problem.rule == "record.bom":
            return OnResume(TITLE, NEWEST, "dropped", "the whole history", f"{_ANEW}.")
        return None


def _path(path: str) -> Path:
    from pathlib import Path

    return Path(path)


def _recorded_folder(path: str) -> str | None:
    """The folder in the first lines of a session."""
    from toolpair.source import peek

    return _folder({"workspaceDirectory": peek.string_after(peek.head(path, 4096), "workspaceDirectory")})


AGENT: Final = ContinueAgent()
