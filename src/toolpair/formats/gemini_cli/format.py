"""Gemini CLI's session files: a log of messages, which are written again as they grow. As measured on 0.61.0.

What the history is and what is sent of it was read in the agent's own code and held against the agent itself.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from toolpair.dialects import gemini as dialect
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.engine.damage.own_problems import no_first_line
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.reading import as_text, blocks_by_key, facts_of, malformed_in, pairs_in
from toolpair.formats.engine.reading.tree_history import NodeTree, SkippedLines
from toolpair.formats.format import (
    AS_RESUMED,
    Beside,
    Damage,
    Fate,
    Item,
    ResumeEffect,
    SentMessage,
    SentPart,
    SentRequest,
    SubagentSession,
    Usage,
    View,
)
from toolpair.formats.gemini_cli.left_out import RULE as LEFT_OUT
from toolpair.formats.gemini_cli.left_out import Said, is_left_out
from toolpair.formats.gemini_cli.left_out import check as check_left_out
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, OnResume, Problem
from toolpair.transcript.draft import value_at
from toolpair.transcript.edits import Edit, Remove
from toolpair.transcript.model import Block, Damaged, Message, Scope, Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.agent import Outcome
    from toolpair.formats.engine.agents.way_back import WayBack
    from toolpair.shell.machine import Machine

# --- data --------------------------------------------------------------------------------------------------

TITLE: Final = "Gemini CLI"
NEWEST: Final = "0.61.0"
INTERRUPTED: Final = "[The previous response was interrupted before it completed.]"
"""What the agent answers itself with, where a history ends with a result."""
_PROJECT: Final = ".project_root"
_TALK: Final = ("user", "gemini")
_STATUSES: Final = ("user", "gemini", "info", "error", "warning")
_EMPTY_SESSION: Final = "Gemini CLI begins a new, empty session: no line of the file says which session it is."

Slot = tuple[str | int, ...]


class Entry(Struct, eq=False):
    """A message of the log as it was written last."""

    uid: int
    slot: Slot
    value: Mapping[str, Any]
    writes: list[tuple[int, Slot]]
    """Where it was written, the first time first: this is its place in the history."""


class Turn(Struct, eq=False):
    """What an entry sends under one role. `results`: the ones that stand in its calls."""

    role: str
    entry: Entry
    blocks: tuple[Block, ...]
    results: bool = False


class History(Struct, eq=False):
    items: Sequence[Item]
    entries: Sequence[Entry]
    turns: Sequence[Turn]
    header: Mapping[str, Any]
    """What lines say of the session."""
    named_below: bool
    """A line after the first one says so, too."""
    listed: bool
    """It is one JSON document: the items are its list of messages."""
    gone: Sequence[Entry]
    """Messages that were written again, taken back or replaced."""
    left_out: Sequence[Said]
    """What a user wrote and is not sent."""


# --- the log -----------------------------------------------------------------------------------------------


def _history(items: Sequence[Item]) -> History:
    listed = not any(isinstance(item.value, dict) and _is_of_log(item.value) for item in items)
    log = _Log(listed)
    for item in items:
        if isinstance(item.value, dict):
            log.take(item.uid, item.value)
    entries = list(log.entries.values())
    live = {(entry.uid, entry.slot) for entry in entries}
    gone = [entry for entry in log.written if (entry.uid, entry.slot) not in live]
    rest = (item.value for item in items[1:] if isinstance(item.value, dict))
    named_below = not listed and any(_is_header(value) for value in rest)
    turns = list(_turns(entries))
    return History(items, entries, turns, log.header, named_below, listed, gone, list(log.left_out()))


def _is_of_log(value: dict[str, Any]) -> bool:
    return "$set" in value or "$rewindTo" in value or ("sessionId" in value and "projectHash" in value)


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

    def left_out(self) -> Iterator[Said]:
        for entry in self.entries.values():
            if _is_silent(entry):
                yield Said(entry.uid, entry.slot, entry.value)
        for entry, before, after in self._dropped:
            place = self._place_between(before, after) if entry.value.get("id") not in self.entries else None
            if place is not None:
                yield Said(entry.uid, entry.slot, entry.value, place)

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
    return _is_unread(entry) and not any(block.form for block in dialect.blocks_of(entry.value.get("content"), 0, ()))


def _is_unread(entry: Entry) -> bool:
    """Whether the agent leaves a user's message out; one with a call's result in another API's form says something."""
    return entry.value.get("type") == "user" and is_left_out(entry.value.get("content"))


def _turns(entries: Iterable[Entry]) -> Iterator[Turn]:
    """What is sent, one entry after the other."""
    for entry in entries:
        content = entry.value.get("content")
        said = dialect.blocks_of(content, entry.uid, (*entry.slot, "content"))
        match entry.value.get("type"):
            case "user":
                if not _is_silent(entry):
                    yield Turn("user", entry, said)
            case "gemini":
                yield from _response(entry, said if content else ())


def _response(entry: Entry, said: tuple[Block, ...]) -> Iterator[Turn]:
    found = entry.value.get("toolCalls")
    calls = [(n, call) for n, call in enumerate(found) if isinstance(call, dict)] if isinstance(found, list) else []
    silent = bool(entry.value.get("thoughts"))
    if any(block.kind in ("call", "thinking") for block in said):
        blocks = said  # the calls beside it are these
    else:
        blocks = (*said, *(dialect.call_block(call, entry.uid, (*entry.slot, "toolCalls", n)) for n, call in calls))
    if not blocks and not silent:
        return
    yield Turn("assistant", entry, blocks)
    results = tuple(block for number, call in calls for block in _results(entry, number, call))
    if results:
        yield Turn("user", entry, results, results=True)


def _results(entry: Entry, number: int, call: dict[str, Any]) -> tuple[Block, ...]:
    result, slot = call.get("result"), (*entry.slot, "toolCalls", number, "result")
    if isinstance(result, str):
        return (dialect.written_result(result, call, entry.uid, slot),) if result else ()
    return dialect.blocks_of(result, entry.uid, slot) if result else ()


# --- the transcript ----------------------------------------------------------------------------------------


def _read(items: Sequence[Item], beside_it: Beside | None) -> Transcript:
    history = _history(items)
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
        model=next((model for model in models if isinstance(model, str)), None),
        scopes=scopes,
        inactive_blocks=pairs_in(block for turn in _turns(history.gone) for block in turn.blocks),
    )


def _project_in(beside: Beside) -> str | None:
    """The project of a session, which the agent notes in the folder above."""
    return beside.start(f"../{_PROJECT}", 4096, "..").decode("utf-8", "replace").strip() or None


def _is_talk(value: Mapping[str, Any]) -> bool:
    return value.get("type") in _TALK


def _messages(turns: Iterable[Turn]) -> Iterator[Message]:
    """Turns of one role in a row are one message, as they are sent."""
    run: list[Turn] = []
    for turn in turns:
        if not turn.blocks:
            continue
        if run and run[-1].role != turn.role:
            yield _message(run)
            run = []
        run.append(turn)
    if run:
        yield _message(run)


def _message(run: Sequence[Turn]) -> Message:
    blocks = tuple(block for turn in run for block in turn.blocks)
    value: dict[str, Any] = {"role": run[0].role, "content": [block.value for block in blocks]}
    if isinstance(time := run[0].entry.value.get("timestamp"), str):
        value["timestamp"] = time
    return Message(run[0].role, blocks, tuple(dict.fromkeys(turn.entry.uid for turn in run)), "blocks", value)


# --- what is sent ------------------------------------------------------------------------------------------


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = facts_of(transcript, History)
    history = known if known.items is items else _history(items)
    own = blocks_by_key(transcript)
    sent: list[tuple[str, list[SentPart]]] = []
    made, lost = _made_ids(history.turns), _refused(history.turns)
    lost.update(id(turn) for turn in history.turns if turn.role == "user" and _is_unread(turn.entry))
    for turn in history.turns:
        parts = (
            []
            if id(turn) in lost
            else [
                SentPart(_as_sent(turn, block, made), own.get(block.key, block))
                for block in turn.blocks
                if not _is_left_out(block)
            ]
        )
        if parts and sent and sent[-1][0] == turn.role:
            sent[-1][1].extend(parts)
        elif parts:
            sent.append((turn.role, parts))
    last = history.turns[-1] if history.turns else None
    if last is not None and last.role == "user" and any(block.kind == "result" for block in last.blocks):
        sent.append(("assistant", [SentPart({"text": INTERRUPTED})]))
    gone = {block.key for turn in history.turns if id(turn) in lost for block in turn.blocks}
    fates: dict[int, Fate] = {
        id(block): "dropped" if _is_left_out(block) or block.key in gone else "sent"
        for block in own.values()
        if block.kind in ("call", "result", "text")
    }
    refuses = None if history.listed or _is_named(history.header) else _EMPTY_SESSION
    messages = tuple(SentMessage(role, tuple(parts)) for role, parts in sent)
    return SentRequest(TITLE, NEWEST, messages, fates, refuses)


def _is_named(header: Mapping[str, Any]) -> bool:
    return bool(header.get("sessionId")) and bool(header.get("projectHash"))


def _refused(turns: Sequence[Turn]) -> set[int]:
    """id() of the responses that are left out: those in a row of which one has a part without content."""
    lost: set[int] = set()
    for role, run in groupby(turns, lambda turn: turn.role):
        found = list(run)
        if role == "assistant" and any(_is_void(block) for turn in found for block in turn.blocks):
            lost.update(map(id, found))
    return lost


def _is_void(block: Block) -> bool:
    return block.value == {} or (block.kind == "text" and not block.text)


def _is_left_out(block: Block) -> bool:
    """Whether it is thinking, or a text without a letter."""
    return block.kind == "thinking" or (block.kind == "text" and not block.text)


def _as_sent(turn: Turn, block: Block, made: Mapping[int, str]) -> Any:
    """The part that the agent makes of a block. Its id is sent without the function's name in front."""
    part = value_at(turn.entry.value, block.slot[len(turn.entry.slot) :])
    if isinstance(part, str) and block.kind == "result":
        part = {"functionResponse": {"id": block.id, "name": block.name, "response": {"output": part}}}
    elif block.slot[-2:-1] == ("toolCalls",):
        part = {"functionCall": {key: part[key] for key in ("id", "name", "args") if key in part}}
    elif isinstance(part, str):
        part = {"text": part}
    key = {"call": "functionCall", "result": "functionResponse"}.get(block.kind)
    if key is None or not isinstance(part.get(key), dict):
        return part
    prefix, id_ = f"{(block.name or '').strip() or 'generic_tool'}__", block.id
    if id(block) in made:
        id_ = made[id(block)]
    elif isinstance(id_, str) and id_.startswith(prefix):
        id_ = id_[len(prefix) :]
    return part if id_ == block.id else {**part, key: {**part[key], "id": id_}}


def _made_ids(turns: Sequence[Turn]) -> dict[int, str]:
    """id() of each call and result without an id -> the one that the agent gives it."""
    made: dict[int, str] = {}
    for number, turn in enumerate(turns):
        before = turns[number - 1] if number else None
        after = turns[number + 1] if number + 1 < len(turns) else None
        for place, block in enumerate(turn.blocks):
            if block.id or id(block) in made or block.kind not in ("call", "result"):
                continue
            own = f"synth_{block.name}_{_derived(turn, number, place)}"
            if block.kind == "call":
                made[id(block)] = own
                answer = _without_id(after, "user", "result", block.name, made)
                if answer is not None:
                    made[id(answer)] = own
                continue
            call = _without_id(before, "assistant", "call", block.name, made)
            if call is None or before is None:
                made[id(block)] = f"synth_orph_{block.name}_{_derived(turn, number, place)}"
            else:
                made[id(call)] = made[id(block)] = f"synth_{block.name}_{_derived(before, number - 1, place)}"
    return made


def _without_id(turn: Turn | None, role: str, kind: str, name: str | None, made: Mapping[int, str]) -> Block | None:
    found = turn.blocks if turn is not None and turn.role == role else ()
    same = (block for block in found if block.kind == kind and block.name == name)
    return next((block for block in same if not block.id and id(block) not in made), None)


def _derived(turn: Turn, number: int, place: int) -> str:
    own = f"{turn.entry.value.get('id')}{'_response' if turn.results else ''}"
    counted = str(number + 1)  # a turn of the agent's own stands in front
    return hashlib.sha256("|".join(sorted((own, counted, str(place)))).encode()).hexdigest()[:32]


# --- what becomes of problems ------------------------------------------------------------------------------


def _damage(history: History, transcript: Transcript, found: Sequence[Damage]) -> Iterator[ResumeEffect | None]:
    place = {item.uid: number for number, item in enumerate(history.items)}
    skipped = SkippedLines(TITLE, NodeTree(()), transcript, place, talks=lambda value: value.get("type") in _TALK)
    for damage in found:
        lost = not history.listed and not history.named_below
        if damage.first and lost and not (damage.readable and damage.rule != "record.bom"):
            whole = damage.values[0] if damage.values else damage.partial
            complete = isinstance(whole, dict) and _is_named(whole)
            says = "Gemini CLI begins an empty session in its place"
            yield ResumeEffect("loses", says, "dropped", "history", complete=complete, begins_anew=True)
        elif history.listed and damage.rule == "record.torn":
            # The older form is one document, which is read as a whole or not at all.
            effect = skipped.effect(damage)
            complete = effect is None or effect.complete
            says = f"{TITLE} reads none of it"
            yield ResumeEffect("loses", says, "dropped", "history", complete=complete, begins_anew=True)
        else:
            yield skipped.effect(damage)


def _check(context: Context, history: History, view: View) -> None:
    _check_first_line(context, history, view)
    check_left_out(context, history.left_out)
    lost = _refused(history.turns)
    for turn in history.turns if lost else ():
        void = [block for block in turn.blocks if _is_void(block)] if id(turn) in lost else []
        if void:
            edits = tuple(Remove(block) for block in void)
            context.add(
                "content.empty_text",
                "The empty text in this response makes Gemini CLI leave the response out, with its calls.",
                record=turn.entry.uid,
                severity="error",
                impact="loses",
                cause=Cause("content.empty_text", "the response was written with a text that says nothing"),
                fixes=(Fix("remove-block", "remove the empty text", edits, recommended=True),),
            )


def _check_first_line(context: Context, history: History, view: View) -> None:
    """A file that does not say which session it is."""
    first = next(iter(history.items), None)
    if history.listed or _is_named(history.header) or first is None or isinstance(first.value, Damaged):
        return
    path = view.beside.path if view.beside is not None else None
    id_ = history.header.get("sessionId") or (path.stem.rpartition("-")[2] if path is not None else "") or "restored"
    project = path.parent.parent.name if path is not None else ""
    time = next((entry.value.get("timestamp") for entry in history.entries if entry.value.get("timestamp")), None)
    header = {
        "sessionId": id_,
        "projectHash": history.header.get("projectHash") or hashlib.sha256(project.encode()).hexdigest(),
        "startTime": time,
        "lastUpdated": time,
        "kind": "main",
    }
    overruled = any(key in history.header and not history.header[key] for key in ("sessionId", "projectHash"))
    line = {key: value for key, value in header.items() if value is not None}
    text = "The file does not start with its session line, so Gemini CLI begins a new, empty session in its place."
    no_first_line(context, first.uid, text, None if overruled else line, impact="loses")


# --- the format --------------------------------------------------------------------------------------------


def sniff(values: Sequence[Any]) -> int:
    records = [value for value in values if isinstance(value, dict)]
    if any(_is_header(record) or _is_set(record) for record in records):
        return 40
    said = [record for record in records if record.get("type") in _STATUSES and "content" in record]
    own = any(record["type"] == "gemini" and "message" not in record for record in said)
    return 39 if own and all(_is_message(record) for record in said) else 0


def knows(value: dict[str, Any]) -> bool:
    return _is_of_log(value) or _is_message(value)


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    return _read(items, view.beside)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    from toolpair.formats.gemini_cli.writing import GeminiLog

    return GeminiLog(items, transcript, facts_of(transcript, History)).run(edits)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return list(_damage(facts_of(transcript, History), transcript, found))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    _check(context, facts_of(context.transcript, History), view)


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


def _is_header(record: dict[str, Any]) -> bool:
    return isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str)


def _is_set(record: dict[str, Any]) -> bool:
    """Whether it replaces the messages by its own, which only this agent's records do."""
    given = record.get("$set")
    messages = given.get("messages") if isinstance(given, dict) else None
    return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages))


def _is_message(record: Any) -> bool:
    known = isinstance(record, dict) and record.get("type") in _STATUSES
    return known and isinstance(record.get("id"), str) and isinstance(record.get("timestamp"), str)


# --- the agent ---------------------------------------------------------------------------------------------


_OUTCOMES: Final[dict[str, Outcome]] = {
    LEFT_OUT: ("dropped", "Gemini CLI leaves your words out without telling you.", "your words")
}


class GeminiAgent(Agent):
    """Gemini CLI itself: `gemini`, which continues a session of the project that it is started in."""

    id = "gemini-cli"
    title = TITLE
    variable = "GEMINI_CLI_HOME"
    outcomes = _OUTCOMES
    suffix = ".jsonl"
    program = Program(
        "gemini",
        TITLE,
        r"[/\\]@google[/\\]gemini-cli[/\\]",
        session_options=("--resume", "-r", "--session-file"),
        other_work=frozenset({"mcp", "extensions", "skills", "hooks"}),
        package="@google/gemini-cli",
        places=(".local/bin",),
    )

    def home(self, machine: Machine) -> Path:
        return super().home(machine) / ".gemini"

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "tmp",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.source import peek

        for project in peek.entries(self.roots(machine)[0]):
            for entry in peek.entries(os.path.join(project.path, "chats")):
                stat = peek.regular(entry) if self.is_named(entry.name) else None
                if stat is not None:
                    id_ = _session_id(peek.head(entry.path)) or os.path.splitext(entry.name)[0]
                    yield self.found(entry.path, id_, stat, _folder_of(entry.path))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.source import peek

        words = peek.last_said(found.path, found.size, _user_words)
        return found.folder or _folder_of(found.path), peek.one_line(words)

    def is_named(self, name: str) -> bool:
        return name.startswith("session-") and name.endswith((".json", ".jsonl"))

    def project_of(self, path: str) -> str | None:
        return _folder_of(path)

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.engine.agents.way_back import WayBack

        if file.path is None:
            return WayBack((), sentence="Start `gemini --session-file` with the file.")
        return WayBack(("gemini", "--session-file", os.path.abspath(file.path)), file.folder)

    def in_place(self, path: Path, session_id: str) -> bool:
        return True

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        if problem.rule == "content.empty_text" and problem.message is None:
            text = "Gemini CLI leaves a response with an empty text out, with its calls, and sends their results."
            return OnResume(TITLE, NEWEST, "dropped", "the response", text)
        return None


def _folder_of(path: str) -> str | None:
    """The project of a session file, which the agent notes beside its folder."""
    from toolpair.source import peek

    root = os.path.join(os.path.dirname(os.path.dirname(path)), _PROJECT)
    return peek.head(root, 4096).decode("utf-8", "replace").strip() or None


def _session_id(head: bytes) -> str | None:
    from toolpair.source import peek

    value = peek.parse(head.partition(b"\n")[0])
    return as_text(value.get("sessionId")) if isinstance(value, dict) else None


def _user_words(record: Any) -> str:
    if not isinstance(record, dict) or record.get("type") != "user" or is_left_out(record.get("content")):
        return ""
    blocks = dialect.blocks_of(record.get("content"), 0, ())
    return " ".join(block.text for block in blocks if block.kind == "text")


AGENT: Final = GeminiAgent()
