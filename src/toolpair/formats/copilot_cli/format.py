"""GitHub Copilot CLI's session files: JSONL, a log of events, each of which names the one before. Measured on 1.0.102.

File order counts, not the names. What a session is sent as was compared with the agent itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from toolpair.dialects import copilot as dialect
from toolpair.dialects.block_texts import WrittenBlock, is_real_output
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.copilot_cli.events import NEEDS, START, flaws
from toolpair.formats.engine.damage.lost import effect_on_readers, held_in, held_in_part, ids_in
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.engine.reading.reading import as_text, blocks_by_key, facts_of, first_text, malformed_in, pairs_in
from toolpair.formats.engine.reading.tree_history import Node
from toolpair.formats.engine.reading.turns import Turn, fates_of, messages_of
from toolpair.formats.engine.writing.tree import Tree, TreeEnvelope
from toolpair.formats.format import (
    AS_RESUMED,
    Damage,
    Item,
    KeptRequest,
    ResumeEffect,
    SentMessage,
    SentPart,
    SentRequest,
    Usage,
    View,
)
from toolpair.rules.context import Context
from toolpair.transcript.counting import plural
from toolpair.transcript.draft import DraftMessage
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import COMPACTED, Block, Boundary, Damaged, Scope, Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.agent import Outcome
    from toolpair.formats.engine.agents.way_back import WayBack
    from toolpair.shell.machine import Machine

# --- data --------------------------------------------------------------------------------------------------

TITLE: Final = "GitHub Copilot CLI"
NEWEST: Final = "1.0.102"
_ABORT: Final = "abort"
_RESUME: Final = "session.resume"
STARTED: Final = "tool.execution_start"
_USAGE: Final = "session.usage_record"
_CHAT: Final = "openai-chat"
_PROFILES: Final = {"completions": _CHAT, "responses": "openai-responses", "messages": "anthropic"}
"""The last word of the address of an API -> the profile that its sessions are checked against."""
_ASKED: Final = "tool.user_requested"
NO_RESULT: Final = "The execution of this tool, or a previous tool was interrupted."
NOT_RECORDED: Final = (
    "Tool execution was interrupted before a result was recorded. Its effects may be absent, partial, or already "
    "complete, and other tools may have completed successfully. Check the current state before retrying; do not "
    "assume success or replay this operation blindly."
)
"""What a call is answered with that the agent was working on when it ended; the agent also writes it to the file."""
_FAILED: Final = "Tool execution failed"
_SUMMARY: Final = (
    "Some of the conversation history has been summarized to free up context.\n\nYou were originally given "
    "instructions from a user over one or more turns. Here were the user messages:\n",
    "\n\nHere is a summary of the prior context:\n<summary>\n",
    "\n</summary>\n",
)
_SHELL: Final = (
    "<user_shell_command_output>\nThe user executed a shell command directly in their terminal (exit code {code}).\n\n"
    "Command:\n{command}\n\nOutput:\n{output}\n</user_shell_command_output>"
)
_TELLING: Final = frozenset({*dialect.ROLES, dialect.SUMMARY, START, _ASKED, _ABORT, _RESUME})
"""Types of events by which what is sent may change."""
_OF_THE_CLI: Final = frozenset(
    {"interactionId", "transformedContent", "originatingMessageId", "toolTelemetry", "apiCallId", "encryptedContent"}
)
_KINDS_OF_THE_CLI: Final = frozenset({"system.message", dialect.SUMMARY, _ASKED, _ABORT, _RESUME, _USAGE})
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
NO_TIME: Final = "1970-01-01T00:00:00.000Z"
_NOT_LOADED: Final = "GitHub Copilot CLI does not load this session"
_STOPS: Final[Outcome] = ("rejected", f"{_NOT_LOADED}.", "history")


class History(Struct, eq=False):
    """What the agent makes of a file's events."""

    items: Sequence[Item]
    nodes: Sequence[Node]
    turns: Sequence[Turn]
    """What is said, in file order, results one by one."""
    beside: Sequence[Turn]
    """What sub-agents said, and what a summary replaced."""
    stops: Sequence[int]
    """Places of the nodes that end what the agent was doing: the user stopped it, or resumed the session."""
    start: dict[str, Any] | None
    summary: int | None
    """uid of the last event that put a summary in the place of all before it."""
    api: str
    """The profile of the API that the session speaks."""


# --- events ------------------------------------------------------------------------------------------------


def data_of(value: Any) -> dict[str, Any]:
    found = value.get("data") if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _is_clis_start(event: dict[str, Any]) -> bool:
    """VS Code's differs by a key: a damaged one may be that."""
    data = data_of(event)
    return _kind(event) == START and data.get("producer") == "copilot-agent" and all(map(str.isascii, data))


def _is_clis(event: dict[str, Any]) -> bool:
    """Whether Copilot writes such an event in the terminal and not in VS Code, where its transcript looks the same."""
    return bool(_OF_THE_CLI & data_of(event).keys()) or _kind(event) in _KINDS_OF_THE_CLI


def _kind(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def _agent_of(value: Any) -> str | None:
    """The id of the sub-agent that an event is of."""
    found = value.get("agentId") or data_of(value).get("parentToolCallId")
    return found if isinstance(found, str) else None


def _history(items: Sequence[Item]) -> History:
    nodes: list[Node] = []
    asked: dict[str, str] = {}
    for item in items:
        value = item.value
        if isinstance(value, dict) and value:
            said = _kind(value) in dialect.ROLES
            real = _kind(value) == dialect.RESULT and is_real_output(dialect.result_block(data_of(value), 0))
            nodes.append(
                Node(item.uid, len(nodes), value.get("id"), value.get("parentId"), value, int(said), int(real))
            )
            if _kind(value) == _ASKED and isinstance(id_ := data_of(value).get("toolCallId"), str):
                given = data_of(value).get("arguments")
                asked[id_] = str(given.get("command")) if isinstance(given, dict) else ""
    talkers = {_agent_of(node.value) for node in nodes if node.messages}
    own = next(iter(talkers)) if len(talkers) == 1 else None
    mine = [node for node in nodes if _agent_of(node.value) == own]
    at = next((n for n in range(len(mine) - 1, -1, -1) if _is_summary(mine[n].value)), None)
    turns = [_summary(mine, at)] if at is not None else []
    kept = {id(node) for node in mine[0 if at is None else at + 1 :]}
    beside: list[Turn] = []
    for node in nodes:
        turn = _turn(node, asked)
        if turn is not None:
            (turns if id(node) in kept else beside).append(turn)
    return History(
        items,
        nodes,
        turns,
        beside,
        [node.place for node in mine if _kind(node.value) in (_ABORT, _RESUME)],
        next((node.value for node in nodes if _kind(node.value) == START), None),
        mine[at].uid if at is not None else None,
        _api([node.value for node in nodes]),
    )


def _api(values: Sequence[Any]) -> str:
    """As the last usage that was counted says, else as the ids of the last calls show."""
    for value in reversed(values):
        if _kind(value) == _USAGE and (profile := _PROFILES.get(_endpoint(value))) is not None:
            return profile
        calls = data_of(value).get(dialect.CALLS) if _kind(value) == dialect.RESPONSE else None
        if isinstance(calls, list) and calls:
            id_ = calls[0].get("toolCallId") if isinstance(calls[0], dict) else None
            return "anthropic" if isinstance(id_, str) and id_.startswith("toolu_") else _CHAT
    return _CHAT


def _endpoint(value: Any) -> str:
    """The last word of the address that a response was asked for at."""
    usage = data_of(value).get("usage")
    address = usage.get("apiEndpoint") if isinstance(usage, dict) else None
    return address.rpartition("/")[2] if isinstance(address, str) else ""


def _is_summary(value: Any) -> bool:
    return _kind(value) == dialect.SUMMARY and data_of(value).get("success") is True


def _summary(nodes: Sequence[Node], at: int) -> Turn:
    """What the agent says of all that a compaction has replaced."""
    asked = [data_of(node.value).get("content") for node in nodes[:at] if _kind(node.value) == dialect.USER]
    words = "\n".join(f"<user_message>\n{text}\n</user_message>" for text in asked)
    head, middle, end = _SUMMARY
    node = nodes[at]
    text = f"{head}{words}{middle}{data_of(node.value).get('summaryContent') or ''}{end}"
    return Turn("user", node, (WrittenBlock("text", text, node.uid, ("data",)),), _time(node), True)


def _time(node: Node) -> str | None:
    return as_text(node.value.get("timestamp"))


def _turn(node: Node, asked: Mapping[str, str]) -> Turn | None:
    """What an event says; None for one that is not sent."""
    kind, data = _kind(node.value), data_of(node.value)
    role = dialect.ROLES.get(kind)
    if role is None:
        return None
    id_ = data.get("toolCallId")
    if kind == dialect.RESULT and isinstance(id_, str) and id_ in asked:
        ran = data.get("shellExecution")
        code = ran.get("exitCode") if isinstance(ran, dict) else int(data.get("success") is False)
        text = _SHELL.format(code=code, command=asked[id_], output=dialect.output_of(data))
        return Turn("user", node, (WrittenBlock("text", text, node.uid, ("data",)),), _time(node))
    blocks = dialect.blocks_of(kind, data, node.uid)
    return Turn(role, node, blocks, _time(node)) if blocks else None


# --- the transcript ----------------------------------------------------------------------------------------


def _read(items: Sequence[Item]) -> Transcript:
    history = _history(items)
    scopes: dict[int, Scope] = malformed_in(items)
    scopes.update((turn.node.uid, "inactive") for turn in history.beside)
    compaction: tuple[Boundary, ...] = ()
    if history.summary is not None:
        compaction = (Boundary(0, COMPACTED, history.summary),)
    start = data_of(history.start)
    context = start.get("context")
    return Transcript(
        tuple(messages_of(history.turns)),
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=history,
        agent_version=as_text(start.get("copilotVersion")),
        session_id=as_text(start.get("sessionId")),
        folder=as_text(context.get("cwd")) if isinstance(context, dict) else None,
        model=_model(history),
        scopes=scopes,
        inactive_blocks=pairs_in(block for turn in history.beside for block in turn.blocks),
        boundaries=compaction,
    )


def _model(history: History) -> str | None:
    """The model that answered last, else the one that was chosen."""
    said = (data_of(turn.node.value).get("model") for turn in reversed(history.turns) if turn.role == "assistant")
    return first_text(said) or as_text(data_of(history.start).get("selectedModel"))


def _parted(history: History) -> set[int]:
    """uids of the results that came after the agent was stopped, or resumed, and before it said anything more."""
    found: set[int] = set()
    asked = 0
    for turn in history.turns:
        stops = bisect(history.stops, turn.node.place)
        if turn.role == "assistant":
            asked = stops
        elif turn.role == "result" and stops > asked:
            found.add(turn.node.uid)
    return found


# --- what is sent ------------------------------------------------------------------------------------------


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = facts_of(transcript, History)
    history = known if known.items is items else _history(items)
    own = blocks_by_key(transcript)
    answers = Answers(history)
    sent: list[SentMessage] = []
    for turn in history.turns:
        if turn.role == "result":
            continue
        parts = [
            SentPart(value, _own(own, block)) for block in turn.blocks if (value := _part(answers, block)) is not None
        ]
        if parts or turn.role == "user":
            sent.append(SentMessage(turn.role, tuple(parts)))
        results = [_answer(answers, own, block) for block in turn.blocks if block.kind == "call" and block.id != ""]
        if results:
            sent.append(SentMessage("user", tuple(results)))
    return SentRequest(TITLE, NEWEST, tuple(sent), fates_of(own.values(), sent), _refuses(history))


def _own(own: Mapping[Any, Block], block: Block) -> Block:
    return own.get((block.record, block.slot), block)


def _part(answers: Answers, block: Block) -> Any:
    if block.kind == "other":
        return None
    new = answers.renamed.get(block.key)
    value = _whole(block.value)
    return value if new is None else {**value, "id": new}


def _whole(value: Any) -> Any:
    """A text without halves of characters; the same object where it has none."""
    if (
        not isinstance(value, str)
        or value.isascii()
        or value.encode("utf-16", "ignore") == value.encode("utf-16", "surrogatepass")
    ):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _answer(answers: Answers, own: Mapping[Any, Block], call: Block) -> SentPart:
    """The result that a call is sent with."""
    result = answers.of_call.get(call.key)
    id_ = answers.renamed.get(call.key, call.id)
    if result is None:
        last = answers.unfinished == call.record
        text = NOT_RECORDED if last else NO_RESULT
        return SentPart({"type": "tool_result", "tool_use_id": id_, "content": text, "is_error": True})
    content = _whole(result.value["content"])
    value = result.value if content is result.value["content"] else {**result.value, "content": content}
    if value.get("is_error") and not value.get("content"):
        value = {**value, "content": _FAILED}
    return SentPart(value if value.get("tool_use_id") == id_ else {**value, "tool_use_id": id_}, _own(own, result))


class Answers:
    """Which result the agent sends with which call: it finds them by their ids.

    A result may be late, or stand before its call. But when the user stops the agent, or resumes the session, each call
    that waits is answered with a placeholder, and a later result is left out. A later response's call whose id was used
    before gets a new one, and so do the results that follow it, unless the call before it still waits for its own. That
    is so for an API of chat messages; to others ids are sent as they are.
    """

    def __init__(self, history: History) -> None:
        self._renames = history.api == _CHAT
        self.renamed: dict[Any, str] = {}
        """Key of a call -> its new id."""
        self.of_call: dict[Any, Block] = {}
        self.too_late: list[tuple[Block, Block]] = []
        """Calls, and the results that came after their placeholders."""
        last = next((turn.node for turn in reversed(history.turns) if turn.role == "assistant"), None)
        stopped = max(history.stops, default=-1)
        self.unfinished = last.uid if last is not None and last.place > stopped else None
        """uid of the last response, if the agent ended while it worked on its calls."""
        self._used: dict[str, int] = {}
        self._now: dict[str, str] = {}
        """Id -> the id that results with it have from here on."""
        self._pending: dict[str, Block] = {}
        self._done: dict[str, Block | None] = {}
        """Id -> its call, if that was answered with a placeholder."""
        early: dict[str, Block] = {}
        stops = iter(sorted(history.stops))
        stop = next(stops, None)
        for turn in history.turns:
            while stop is not None and stop < turn.node.place and not turn.summary:
                self._done.update(self._pending)
                self._pending.clear()
                early.clear()
                stop = next(stops, None)
            if turn.role == "assistant":
                self._ask(turn)
            elif turn.role == "result" and isinstance(turn.blocks[0].id, str):
                self._answer(turn.blocks[0], early)
        if stop is None:
            self.of_call.update({call.key: early[id_] for id_, call in self._pending.items() if id_ in early})

    def _ask(self, turn: Turn) -> None:
        calls = [block for block in turn.blocks if block.kind == "call" and isinstance(block.id, str) and block.id]
        used = self._used if self._renames else {}
        again = {block.id: _renamed(block.id, used[block.id]) for block in calls if block.id in used}
        for id_, new in again.items():
            if self._now.get(id_, id_) in self._done:
                self._now[id_] = new
        for block in calls:
            if block.id in again:
                self.renamed[block.key] = again[block.id]
            self._pending.setdefault(again.get(block.id, block.id), block)
        for id_ in {block.id for block in calls}:
            self._used[id_] = self._used.get(id_, 0) + 1

    def _answer(self, result: Block, early: dict[str, Block]) -> None:
        id_ = self._now.get(result.id, result.id)
        if (call := self._pending.pop(id_, None)) is not None:
            self.of_call[call.key] = result
            self._done[id_] = None
        elif id_ not in self._done:
            early.setdefault(id_, result)
        elif (call := self._done[id_]) is not None:
            self.too_late.append((call, result))
            self._done[id_] = None


def _renamed(id_: str, times: int) -> str:
    """What stands for the new id, which is the agent's hash of these two: how it makes that is not known."""
    return f"not known (use {times + 1} of {id_})"


def _refuses(history: History) -> str | None:
    """Why the agent does not load the file."""
    if history.start is None:
        return f"{_NOT_LOADED}: no line of it says that it is one."
    if isinstance(history.items[0].value, Damaged):
        return f"{_NOT_LOADED}: its first line cannot be read."
    if any(
        any(envelope_flaws(node.value)) or any(flaws(node.value)) or _lacks_text(node.value) for node in history.nodes
    ):
        return f"{_NOT_LOADED}: one of its events lacks what it needs."
    return None


# --- what becomes of problems ------------------------------------------------------------------------------


def envelope_flaws(value: dict[str, Any]) -> Iterator[str]:
    """The fields of an event that the agent does not accept."""
    if not is_uuid(value.get("id")):
        yield "id"
    if "parentId" not in value or not (value["parentId"] is None or is_uuid(value["parentId"])):
        yield "parentId"
    if not isinstance(time := value.get("timestamp"), str) or not TIME.fullmatch(time):
        yield "timestamp"
    if not isinstance(value.get("data"), dict):
        yield "data"


def is_uuid(value: Any) -> bool:
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def _lacks_text(value: dict[str, Any]) -> bool:
    """Whether a call or a result has no id that is a text, or a call no name."""
    calls = data_of(value).get(dialect.CALLS) if _kind(value) == dialect.RESPONSE else None
    named = calls if isinstance(calls, list) else ()
    return _lacks_id(value) or any(isinstance(c, dict) and not isinstance(c.get("name"), str) for c in named)


def _lacks_id(value: dict[str, Any]) -> bool:
    """Whether a call or a result has no id that is a text."""
    kind, data = _kind(value), data_of(value)
    if kind not in dialect.ROLES:
        return False
    calls = data.get(dialect.CALLS)
    listed = calls if isinstance(calls, list) else ()
    holders = (data,) if kind == dialect.RESULT else [call for call in listed if isinstance(call, dict)]
    return any(not isinstance(holder.get("toolCallId"), str) for holder in holders)


def _damage(history: History, found: Sequence[Damage]) -> Iterator[ResumeEffect | None]:
    blocks = [block for turn in history.turns for block in turn.blocks]
    answers: dict[str, set[int]] = {}
    for block in blocks:
        if block.kind == "result" and isinstance(block.id, str):
            answers.setdefault(block.id, set()).add(block.record)
    called = {block.id for block in blocks if block.kind == "call" and isinstance(block.id, str)}
    for damage in found:
        if damage.rule == "record.bom":
            yield ResumeEffect("harmless", f"{TITLE} ignores it", "healed") if damage.front else None
        elif damage.readable and damage.rule != "record.bad_utf8":
            yield effect_on_readers(damage, TITLE)
        elif damage.rule == "record.nul" and not damage.values and not damage.partial:
            yield ResumeEffect("harmless", f"{TITLE} skips it", "healed")
        elif damage.first:
            yield ResumeEffect("stops", _NOT_LOADED, "rejected", complete=_is_complete(damage))
        else:
            yield _deleted(damage, answers, called)


def _deleted(damage: Damage, answers: Mapping[str, Collection[int]], called: Collection[str]) -> ResumeEffect:
    """The agent writes the file again without the line when it resumes it.

    `answers`: id -> the records with its results.
    """
    held = [*held_in(damage.values), *held_in_part(damage.partial)]
    ids = {one.id for one in held if one.real}
    if not ids and dialect.RESULT.encode() in damage.raw:
        ids = ids_in(damage.raw)[0].intersection(called)
    outputs = sum(not any(record != damage.record for record in answers.get(id_, ())) for id_ in ids)
    says, complete = f"{TITLE} deletes it from the file", _is_complete(damage)
    kinds = [_kind(value) for value in (*damage.values, damage.partial) if value is not None]
    if not outputs and kinds and all(kind in NEEDS and kind not in _TELLING for kind in kinds):
        return ResumeEffect("harmless", says, "dropped", complete=complete)
    loses = "its output" if outputs == 1 else plural(outputs, "output") if outputs else "the record"
    return ResumeEffect("loses", says, "dropped", loses, outputs, complete)


def _is_complete(damage: Damage) -> bool:
    """Whether an event says enough once its end is written. What is cut off of its envelope, a fix writes again."""
    if damage.rule != "record.torn":
        return True
    value = damage.values[0] if damage.values else damage.partial
    kind, data = _kind(value), data_of(value)
    whole = bool(damage.values) or (bool(data) and next(reversed(value)) != "data")
    if kind == dialect.RESULT:
        last = next(reversed(data), "") if not whole else ""
        says = bool(dialect.output_of(data)) and isinstance(data.get("success"), bool) and last != "toolCallId"
        return says and not _lacks_id(value)
    if kind == dialect.USER:
        return isinstance(data.get("content"), str)
    return whole and (kind in dialect.ROLES or kind == START) and not _lacks_id(value)


def id_from(seed: str, attempt: int) -> str:
    """A UUID, the same on every run."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"{seed}:{attempt}".encode("utf-8", "replace")).digest()[:16], version=4))


# --- the format --------------------------------------------------------------------------------------------


class _Envelope(TreeEnvelope, frozen=True):
    slot = ("data",)

    def slot_in(self, value: Any) -> dialect.Slot:
        return ("data",)

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        near = beside.record if isinstance(beside.record, dict) else {}
        kind = dialect.RESULT if "toolCallId" in message else dialect.RESPONSE
        kind = kind if kind == dialect.RESULT or dialect.CALLS in message else dialect.USER
        same = {key: data_of(near)[key] for key in ("interactionId", "turnId") if key in data_of(near)}
        time = near.get("timestamp", NO_TIME)
        return {"type": kind, "data": {**message, **same}, "id": None, "timestamp": time, "parentId": None}

    def new_id(self, seed: str, attempt: int) -> str:
        return id_from(seed, attempt)

    def is_node(self, value: Any) -> bool:
        return isinstance(value, dict) and bool(value)

    def goes_with(self, value: Any) -> bool:
        return _kind(value) == STARTED


_ENVELOPE: Final = _Envelope(single=False)


def sniff(values: Sequence[Any]) -> int:
    events = [value for value in values if isinstance(value, dict) and isinstance(value.get("data"), dict)]
    if not events or len(events) * 2 < len(values):
        return 0
    if any(map(_is_clis_start, events)):
        return 95
    own = (_kind(event) in dialect.ROLES and {"id", "parentId", "timestamp"} & event.keys() for event in events)
    named = all("." in _kind(event) or _kind(event) == _ABORT for event in events)
    return 94 if any(own) and named and any(map(_is_clis, events)) else 0


def knows(value: dict[str, Any]) -> bool:
    return isinstance(value.get("data"), dict) and ("." in _kind(value) or _kind(value) == _ABORT)


def profile_for(values: Sequence[Any]) -> str:
    """That of the API that the last of these events came from."""
    return _api(values)


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    return _read(items)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    from toolpair.dialects.copilot_writer import CopilotWriter

    history = facts_of(transcript, History)
    tree = Tree(items, transcript, CopilotWriter(), _ENVELOPE, [node.uid for node in history.nodes])
    tree.drafter.parted = _parted(history)
    return tree.run(edits)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return list(_damage(facts_of(transcript, History), found))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    from toolpair.formats.copilot_cli.checks import check

    check(context, facts_of(context.transcript, History), view)


def inactive(items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
    """The histories of sub-agents, by the id of the call that started each."""
    own: dict[str, list[Item]] = {}
    said = {turn.node.uid for turn in facts_of(transcript, History).turns}
    for item in items:
        agent = _agent_of(item.value) if isinstance(item.value, dict) and item.uid not in said else None
        if agent is not None:
            own.setdefault(agent, []).append(item)
    return own.items()


def request_kept(items: Sequence[Item], response: int | None) -> KeptRequest:
    """The last system prompt that the file has, and the model."""
    history = _history(items)
    said = (data_of(n.value).get("content") for n in reversed(history.nodes) if _kind(n.value) == "system.message")
    return KeptRequest(first_text(said), (), _model(history))


def usage(value: Any) -> Usage | None:
    usage = data_of(value).get("usage") if _kind(value) == _USAGE else None
    written = count_in(usage, "outputTokens")
    read = count_in(usage, "inputTokens")
    return usage_of(read, written, count_in(usage, "maxPromptTokens"))


# --- the agent ---------------------------------------------------------------------------------------------


_OUTCOMES: Final[dict[str, Outcome]] = dict.fromkeys(("rollout.no_meta", "rollout.envelope"), _STOPS)


class CopilotAgent(Agent):
    """Copilot CLI itself: `copilot`, which keeps each session in a folder of its own."""

    id = "copilot-cli"
    title = TITLE
    outcomes = _OUTCOMES
    filled = "tells the model that the tool was interrupted"
    variable = "COPILOT_HOME"
    usual_home = ".copilot"
    suffix = ".jsonl"
    program = Program(
        "copilot",
        TITLE,
        r"[/\\]@github[/\\]copilot[/\\]",
        session_options=("--resume",),
        other_work=frozenset({"login", "logout", "update", "help", "mcp", "plugin"}),
        package="@github/copilot",
        places=(".local/bin",),
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "session-state",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.source import peek

        for entry, stat in peek.files_below(self.roots(machine)[0], ".jsonl"):
            folder = os.path.basename(os.path.dirname(entry.path))
            if entry.name == "events.jsonl":
                yield self.found(entry.path, folder, stat, peek.folder_in(peek.head(entry.path, 4096)))
            elif folder == "session-state":
                yield self.found(entry.path, entry.name[:-6], stat, peek.folder_in(peek.head(entry.path, 4096)))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.source import peek

        return found.folder, peek.one_line(peek.last_said(found.path, found.size, _users_words))

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.engine.agents.way_back import WayBack

        return WayBack(("copilot", f"--resume={file.session_id}"), file.folder) if file.session_id else None

    def home_of(self, path: Path, session_id: str) -> Path | None:
        parents = path.parents
        if path.name == "events.jsonl" and len(parents) > 2 and parents[0].name == session_id:
            return parents[2] if parents[1].name == "session-state" else None
        flat = path.name == f"{session_id}.jsonl" and len(parents) > 1 and parents[0].name == "session-state"
        return parents[1] if flat else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        return self.roots(machine)[0] / file.session_id / "events.jsonl" if is_uuid(file.session_id) else None


def _users_words(value: dict[str, Any]) -> str | None:
    """What the user says in an event."""
    own = _kind(value) == dialect.USER and _agent_of(value) is None
    return as_text(data_of(value).get("content")) if own else None


AGENT: Final = CopilotAgent()
