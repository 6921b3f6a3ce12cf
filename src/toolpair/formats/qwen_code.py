"""Qwen Code's session files: JSONL, a tree of records, each message a content of Gemini's. As measured on 0.24.4.

What the history is was read in the agent's own code and compared with the agent. What is sent of it is worked out in
`sent_contents.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import astuple, replace

from toolpair.dialects import gemini as dialect
from toolpair.dialects.block_texts import is_real_output
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.clock import count_in, time_in
from toolpair.formats.format import (
    AS_RESUMED,
    Beside,
    Damage,
    Item,
    KeptRequest,
    ResumeEffect,
    SentRequest,
    SubagentSession,
    Usage,
    View,
)
from toolpair.formats.linear import with_slots
from toolpair.formats.tree import Tree, TreeEnvelope
from toolpair.formats.tree_history import (
    End,
    Node,
    NodeTree,
    branches_of,
    inactive_ways,
    links_of,
    skipped,
    uuid_from,
)
from toolpair.formats.turns import Outcome, Turn, messages_of, what_becomes
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, OnResume, Problem
from toolpair.transcript.draft import DraftMessage, value_at
from toolpair.transcript.edits import Edit, Remove
from toolpair.transcript.model import Block, Boundary, Damaged, Message, Scope, Transcript
from toolpair.transcript.record_tree import RecordTree

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.way_back import WayBack
    from toolpair.shell.machine import Machine

# --- data --------------------------------------------------------------------------------------------------

TITLE: Final = "Qwen Code"
NEWEST: Final = "0.24.4"
_TYPES: Final = ("user", "assistant", "tool_result", "system")
_ROLES: Final = ("user", "model")
_BESIDE: Final = frozenset(
    {
        "session_artifact_event",
        "session_artifact_snapshot",
        "session_sources_snapshot",
        "managed_session_header_v1",
        "managed_session_event_v1",
        "managed_session_commit_v1",
    }
)
"""Subtypes of records that are not in the tree."""
_COMPRESSION: Final = "chat_compression"
_PROFILES: Final = {"anthropic": "anthropic", "gemini": "gemini", "vertex-ai": "gemini"}
"""How a session was authenticated -> the profile that it is checked against; all others speak Chat Completions."""
_FORGETS: Final = "Qwen Code forgets everything before this line without telling you."
_FILLED: Final = "Qwen Code tells the model that the result was not recorded, and to treat the call as failed."
_LEFT_OUT: Final = "Qwen Code leaves the call and its result out without telling you."
_ROLE: Final = "Qwen Code does not start: a message has a role that is neither user nor model."
_PART: Final = "Qwen Code does not start: a message has a part that cannot be read."
_SESSIONS: Final = "Qwen Code does not resume this session: its records name more than one."
_FOLDER: Final = "Qwen Code does not resume this session: its first record does not name the working folder."
_NOTHING: Final = "Qwen Code does not resume this session: no record of it can be read."
_SENT: Final[Outcome] = ("rejected", "Qwen Code sends it as it is, and the API refuses the session.", None)
_OUTCOMES: Final[dict[str, Outcome]] = {
    "result.missing": ("placeholder", _FILLED, None),
    "turn.trailing_call": ("placeholder", _FILLED, None),
    "result.orphan": ("dropped", "Qwen Code leaves this result out without telling you.", "the result"),
    "result.id_mismatch": ("dropped", "Qwen Code leaves this result out without telling you.", "the result"),
    "result.duplicate": ("healed", "Qwen Code sends the first of the results.", None),
    "result.not_adjacent": ("healed", "Qwen Code moves the result to its call.", None),
    "result.not_first": ("healed", "Qwen Code moves the result to its call.", None),
    "result.split_over_messages": ("healed", "Qwen Code sends the results together.", None),
    "result.order": ("kept", "Qwen Code sends the results as they are, which the API accepts.", None),
    "result.crossed": ("kept", "Qwen Code sends the results as they are.", None),
    "result.placeholder": ("placeholder", "Qwen Code sends the placeholder as it is.", "the real output"),
    "call.reused_id": ("dropped", _LEFT_OUT, "the call and its result"),
    "call.duplicate_id": ("dropped", _LEFT_OUT, "the call and its result"),
    "id.empty": ("dropped", _LEFT_OUT, "the call and its result"),
    "id.length": _SENT,
    "id.pattern": ("kept", "Qwen Code sends the id as it is.", None),
    "args.not_object": _SENT,
    "turn.alternation": ("healed", "Qwen Code sends neighbouring messages of one role as one.", None),
    "turn.trailing_assistant": ("healed", "Qwen Code continues with your next words.", None),
    "content.empty_text": (
        "dropped",
        "Qwen Code leaves out a response with an empty text, and those next to it.",
        "the response with its calls",
    ),
    "content.empty_message": ("healed", "Qwen Code leaves the empty message out.", None),
    "record.lone_surrogate": _SENT,
    "chain.cycle": ("dropped", "Qwen Code forgets what is above the loop without telling you.", "history"),
    "chain.missing_parent": ("dropped", _FORGETS, "history"),
    "chain.second_root": ("dropped", _FORGETS, "history"),
    "chain.null_parent": ("dropped", _FORGETS, "history"),
    "chain.wrong_leaf": ("dropped", "Qwen Code continues from this line and does not see what follows.", "history"),
    "chain.duplicate_uuid": ("dropped", "Qwen Code reads them as one message, with the role of the first.", None),
}
"""What Qwen Code makes of a problem, by its rule."""
_EMPTY: Final = "content.empty_text"
_NO_FIX: Final = "it is in what a compression of the history kept, which toolpair does not change yet"
_ALWAYS_ERRORS: Final = ("call.reused_id", "call.duplicate_id", "id.empty")
"""Rules whose problems lose something with this agent, whatever the API says."""
_COPIED: Final = ("sessionId", "timestamp", "cwd", "version", "gitBranch")
"""What a new record says as its neighbour does."""
_AT: Final = ("message", "parts")
_KEPT: Final = ("systemPayload", "compressedHistory")


# --- records -----------------------------------------------------------------------------------------------


class Said(Struct, eq=False):
    """A content of the history: one record's, or one of those that a compression keeps."""

    role: Any
    node: Node
    blocks: Sequence[Block]
    summary: bool = False


class _History(Struct, eq=False):
    """What Qwen Code makes of a file's records."""

    items: Sequence[Item]
    tree: NodeTree
    path: Sequence[Node]
    end: End
    said: Sequence[Said]
    """What stands in the file of what is sent, in order."""
    contents: Sequence[tuple[Any, list[tuple[Any, Block | None]]]]
    """(role, parts) of what the agent begins with; each part with its block, None for what no fix can reach."""
    own: Node | None
    """Where Qwen Code itself continues."""
    refuses: str | None
    compressed: bool
    glued: frozenset[str]
    """ids of calls and results on lines that the agent takes apart itself."""


def _is_record(value: Any) -> bool:
    """Whether the agent reads the record at all."""
    if not isinstance(value, dict) or not isinstance(value.get("uuid"), str) or not value["uuid"]:
        return False
    parent, session = value.get("parentUuid", 0), value.get("sessionId")
    linked = parent is None or isinstance(parent, str)
    return linked and isinstance(session, str) and bool(session) and value.get("type") in _TYPES


def _is_node(value: Any) -> bool:
    if not _is_record(value):
        return False
    subtype = value.get("subtype")
    return not (value["type"] == "system" and isinstance(subtype, str) and subtype in _BESIDE)


def _message(value: Any) -> dict[str, Any]:
    found = value.get("message") if isinstance(value, dict) and value.get("type") != "system" else None
    return found if isinstance(found, dict) and value.get("subtype") != "realtime_message" else {}


def _parts(value: Any) -> list[Any]:
    found = _message(value).get("parts")
    return found if isinstance(found, list) else []


def _read_by_agent(items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
    """All objects that the agent finds in the file: also those of glued lines, up to one that is cut off."""
    for item in items:
        whole = item.value.parts if isinstance(item.value, Damaged) else (item.value,)
        for value in takewhile(lambda part: not isinstance(part, Damaged), whole):
            if isinstance(value, dict):
                yield item, value


def _tree(read: Iterable[tuple[Item, Any]]) -> NodeTree:
    nodes: list[Node] = []
    for item, value in read:
        if not _is_node(value):
            continue
        blocks = [dialect.part_block(part, 0, ()) for part in _parts(value)]
        outputs = sum(block.kind == "result" and is_real_output(block) for block in blocks)
        begins = value["type"] in ("user", "system")
        node = Node(item.uid, len(nodes), value["uuid"], value["parentUuid"] or None, value, bool(blocks), outputs)
        node.begins = begins
        nodes.append(node)
    return NodeTree(nodes, merges=True, new_id=uuid_from)


def _history(items: Sequence[Item], leaf: str | None) -> _History:
    read = list(_read_by_agent(items))
    damaged = {item.uid for item in items if isinstance(item.value, Damaged)}
    tree = _tree(read)
    own = tree.by_id[tree.nodes[-1].id] if tree.nodes else None
    path, end = tree.walk((tree.named(leaf) if leaf is not None else None) or own)
    same: dict[str, list[Node]] = {}
    for node in tree.nodes if len(tree.by_id) < len(tree.nodes) else ():
        same.setdefault(node.id, []).append(node)
    made = _Contents(damaged)
    for node in path:
        made.add(same.get(node.id) or [node])
    glued = {block.id for node in tree.nodes if node.uid in damaged for block in _blocks(node) if block.id}
    sessions = {value["sessionId"] for _, value in read if _is_record(value)}
    refuses = None
    if own is None:
        refuses = _NOTHING
    elif len(sessions) > 1:
        refuses = _SESSIONS
    elif not isinstance(read[0][1].get("cwd"), str):
        refuses = _FOLDER
    elif any(not isinstance(part, dict) for _, parts in made.contents for part, _ in parts):
        refuses = _PART
    elif any(role not in _ROLES for role, _ in made.contents):
        refuses = _ROLE
    names = frozenset(id_ for id_ in glued if isinstance(id_, str))
    return _History(items, tree, path, end, made.said, made.contents, own, refuses, made.compressed, names)


def _blocks(node: Node) -> tuple[Block, ...]:
    return dialect.blocks_of(_parts(node.value), node.uid, _AT)


class _Contents:
    """The contents of a history, record by record."""

    def __init__(self, damaged: set[int]) -> None:
        self.said: list[Said] = []
        self.contents: list[tuple[Any, list[tuple[Any, Block | None]]]] = []
        self.compressed = False
        self._damaged = damaged
        self._last: Node | None = None
        """The record that the last content came from."""

    def add(self, nodes: Sequence[Node]) -> None:
        """Add what records with one id say: the agent reads them as one."""
        first = nodes[0].value
        if first["type"] == "system":
            self._add_system(nodes[0])
            return
        if not any(_message(node.value) for node in nodes):
            return
        whole: list[tuple[Any, Block | None]] = []
        role = next((_message(node.value).get("role") for node in nodes if _message(node.value)), None)
        for number, node in enumerate(nodes):
            twice = any(other.value == node.value for other in nodes[:number])
            raw = _parts(node.value)
            blocks = _blocks(node)
            if node.uid in self._damaged or twice:
                whole += [(part, None) for part in raw]
                continue
            whole += zip(raw, blocks, strict=True)
            if blocks:
                self.said.append(Said(_message(node.value).get("role"), node, blocks))
        self._last = nodes[0]
        if first.get("subtype") == "mid_turn_user_message" and self.contents and self.contents[-1][0] == "user":
            self.contents[-1][1].extend(whole)
        else:
            self.contents.append((role, whole))

    def _add_system(self, node: Node) -> None:
        kept = value_at(node.value, _KEPT)
        if node.value.get("subtype") == "slash_command":
            if self._is_answered(node.value.get("systemPayload")):
                self.contents.pop()
                self.said = [one for one in self.said if one.node is not self._last]
            if self._last is not None and self._last.value["type"] == "user":
                self._last = None
        elif node.value.get("subtype") == _COMPRESSION and kept:
            self.compressed = True
            self.said, self.contents, self._last = [], [], None
            for number, content in enumerate(kept if isinstance(kept, list) else ()):
                found = content.get("parts") if isinstance(content, dict) else None
                raw = found if isinstance(found, list) else []
                blocks = dialect.blocks_of(raw, node.uid, (*_KEPT, number, "parts"))
                role = content.get("role") if isinstance(content, dict) else None
                self.contents.append((role, [*zip(raw, blocks, strict=True)]))
                self.said.append(Said(role, node, blocks, summary=not number))

    def _is_answered(self, payload: Any) -> bool:
        """Whether the user's last words were a command that the agent answered without the model."""
        if not isinstance(payload, dict) or self._last is None:
            return False
        value, shown = self._last.value, payload.get("outputHistoryItems")
        if payload.get("phase") != "result" or payload.get("sentToModel") is True or not shown:
            return False
        if not isinstance(shown, list) or any(not isinstance(o, dict) or o.get("type") != "assistant" for o in shown):
            return False
        plain = value["type"] == "user" and value.get("subtype") is None and _message(value).get("role") == "user"
        return plain and _parts(value) == [{"text": payload.get("rawCommand")}]


# --- the transcript ----------------------------------------------------------------------------------------


def _turn(said: Said) -> Turn:
    role = "assistant" if said.role == "model" else said.role
    if role == "user" and any(block.kind == "result" for block in said.blocks):
        role = "result"
    return Turn(role, said.node, tuple(said.blocks), _text(said.node.value.get("timestamp")), said.summary)


def _read(items: Sequence[Item], view: View) -> Transcript:
    history = _history(items, view.leaf)
    scopes: dict[int, Scope] = {item.uid: "malformed" for item in items if isinstance(item.value, Damaged)}
    messages = tuple(messages_of(map(_turn, history.said)))
    sent = {uid for message in messages for uid in message.records}
    beside = [node for node in history.tree.nodes if node.uid not in sent and node.messages]
    scopes.update((node.uid, "inactive") for node in beside if node.uid not in scopes)
    leaf = history.path[-1] if view.leaf is not None and history.path else None
    links = links_of(history.tree, history.path, history.end, len(messages), TITLE, history.compressed)
    compaction: tuple[Boundary, ...] = ()
    if history.compressed and history.said and history.said[0].summary:
        compaction = (Boundary(0, "replaced by a summary (normal)", history.said[0].node.uid),)
    first = history.own.value if history.own is not None else {}
    models = (node.value.get("model") for node in reversed(history.path))
    return Transcript(
        messages,
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=history,
        session_id=_text(first.get("sessionId")),
        folder=next((node.value["cwd"] for node in history.tree.nodes if _text(node.value.get("cwd"))), None),
        model=next(filter(None, map(_text, models)), None),
        scopes=scopes,
        inactive_blocks=tuple(b for node in beside for b in _blocks(node) if b.kind in ("call", "result")),
        boundaries=(*compaction, *links.boundaries),
        tree=RecordTree(
            leaf=_text(leaf.id) if leaf is not None else None,
            branches=branches_of(history.tree, history.path, history.own, _user_words),
            elsewhere=leaf is not None and leaf is not history.own,
            broken=links.broken,
        ),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _user_words(node: Node) -> tuple[str, str | None]:
    return _words_of(node.value) or "", _text(node.value.get("timestamp"))


def _words_of(value: Any) -> str | None:
    """What the user says in a record."""
    if not isinstance(value, dict) or value.get("type") != "user":
        return None
    texts = [part["text"] for part in _parts(value) if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return " ".join(" ".join(texts).split())


# --- the format --------------------------------------------------------------------------------------------


class _Envelope(TreeEnvelope, frozen=True):
    def slot_in(self, value: Any) -> dialect.Slot:
        return ("message",) if _message(value) else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        near = beside.record if isinstance(beside.record, dict) else {}
        answers = any("functionResponse" in part for part in message["parts"] if isinstance(part, dict))
        kind = "assistant" if message["role"] == "model" else "tool_result" if answers else "user"
        copied = {key: near[key] for key in _COPIED if key in near}
        session = {"sessionId": copied.pop("sessionId", "restored-session")}
        time = {"timestamp": copied.pop("timestamp")} if "timestamp" in copied else {}
        return {"uuid": None, "parentUuid": None, **session, **time, "type": kind, **copied, "message": message}

    def new_id(self, seed: str, attempt: int) -> str:
        return uuid_from(seed, attempt)

    def is_node(self, value: Any) -> bool:
        return _is_node(value)


_ENVELOPE: Final = _Envelope(id_key="uuid", parent_key="parentUuid")


class QwenCode:
    """The session file of Qwen Code. `profile` follows from the provider that it was used with."""

    id = "qwen-code"
    title = TITLE
    containers = frozenset({"lines"})
    id_key = "uuid"
    links = ("parentUuid",)
    where = "~/.qwen/projects/<folder>/chats/<session id>.jsonl (or under $QWEN_RUNTIME_DIR or $QWEN_HOME)"

    def __init__(self, profile: str = "openai-chat") -> None:
        self.profile = profile

    def sniff(self, values: Sequence[Any]) -> int:
        own = [value for value in values if _is_record(value)]
        return 95 if any("parts" in _message(v) or "systemPayload" in v for v in own) else 0

    def for_records(self, values: Sequence[Any]) -> QwenCode:
        """The same for sessions of the provider that the last of these records was written with."""
        events = (value_at(value, ("systemPayload", "uiEvent", "auth_type")) for value in reversed(values))
        return _of_profile(_PROFILES.get(next(filter(None, map(_text, events)), ""), "openai-chat"))

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        return _read(items, view)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        from toolpair.dialects.gemini_writer import GeminiResultWriter

        history = _of(transcript)
        there = {item.uid for item in items if not isinstance(item.value, Damaged)}
        path = [node.uid for node in history.path if node.uid in there]
        edits = [edit for edit in edits if not _is_in_compression(edit)]
        made = Tree(items, transcript, GeminiResultWriter(), _ENVELOPE, path).run(edits)
        old = {item.uid: item for item in items}
        return [_with_copied_id(old.get(item.uid), item) for item in made]

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        history = _of(transcript)
        place = {item.uid: number for number, item in enumerate(items)}
        return [_damage(damage, history, transcript, place) for damage in found]

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        from toolpair.formats.sent_contents import request_of

        known = _of(transcript)
        history = known if known.items is items else _history(items, transcript.tree.leaf)
        contents = history.contents if history.refuses is None else ()
        return request_of(contents, transcript, TITLE, NEWEST, history.refuses)

    def check(self, context: Context, items: Sequence[Item], view: View) -> None:
        _check(context)

    def notes_on_fixes(self, items: Sequence[Item], transcript: Transcript, fixes: Sequence[Fix]) -> list[str | None]:
        return [None] * len(fixes)

    def inactive(self, items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
        history = _of(transcript)
        by_uid = {item.uid: item for item in items if not isinstance(item.value, Damaged)}
        for leaf, nodes in inactive_ways(history.tree, history.path):
            yield leaf, [by_uid[node.uid] for node in nodes if node.uid in by_uid]

    def subagent_sessions(
        self, items: Sequence[Item], transcript: Transcript, beside: Beside
    ) -> Iterable[SubagentSession]:
        return ()

    def request_kept(self, items: Sequence[Item], response: int | None) -> KeptRequest:
        models = (item.value.get("model") for item in reversed(items) if isinstance(item.value, dict))
        return KeptRequest(model=next(filter(None, map(_text, models)), None))

    def time_of(self, value: Any) -> float | None:
        return time_in(value)

    def usage_of(self, value: Any) -> Usage | None:
        usage = value.get("usageMetadata") if isinstance(value, dict) and value.get("type") == "assistant" else None
        written = count_in(usage, "candidatesTokenCount", "thoughtsTokenCount")
        read = count_in(usage, "promptTokenCount")
        return Usage(read + written, written) if read + written else None


def _of(transcript: Transcript) -> _History:
    assert isinstance(transcript.agent_facts, _History)
    return transcript.agent_facts


def _damage(damage: Damage, history: _History, transcript: Transcript, place: dict[int, int]) -> ResumeEffect | None:
    if damage.rule == "record.bom":
        return ResumeEffect("harmless", f"{TITLE} ignores it", "healed")
    if damage.rule == "record.glued" and damage.partial is None:
        return ResumeEffect("harmless", f"{TITLE} takes the line apart", "healed")
    read = [node.value for node in history.tree.nodes if node.uid == damage.record]
    damage = replace(damage, values=tuple(value for value in damage.values if value not in read))
    return skipped(damage, TITLE, history.tree, transcript, place, ("uuid", "parentUuid"))


def _is_in_compression(given: Any) -> bool:
    """Whether an edit, or a part of one, is about what a compression keeps, which no edit reaches."""
    if isinstance(given, Block):
        return given.slot[:1] == _KEPT[:1]
    if isinstance(given, Message):
        return any(map(_is_in_compression, given.blocks))
    parts = given if isinstance(given, tuple) else astuple(given) if isinstance(given, Struct) else ()
    return any(map(_is_in_compression, parts))


def _check(context: Context) -> None:
    """What the API would accept, but the agent leaves out of the request."""
    for number, problem in enumerate(context.problems):
        if problem.rule in _ALWAYS_ERRORS:
            problem = replace(problem, severity="error", impact="loses")
        if any(map(_is_in_compression, (problem.call, problem.result, *problem.others))):
            problem = replace(problem, fixes=(), no_fix=_NO_FIX)
        context.problems[number] = problem
    told = {block.key for problem in context.problems if problem.rule == _EMPTY for block in problem.others}
    for number, message in enumerate(context.transcript.messages):
        for place, block in enumerate(message.blocks):
            if message.role != "assistant" or block.key in told or not _is_empty(block):
                continue
            context.add(
                _EMPTY,
                "This response has an empty text, so Qwen Code leaves it out, with its calls.",
                at=(number, place),
                others=(block,),
                severity="error",
                impact="loses",
                cause=Cause("empty_text", "an empty text was saved with the response"),
                fixes=() if _is_in_compression(block) else (_without(block),),
                no_fix=_NO_FIX if _is_in_compression(block) else None,
            )


def _without(block: Block) -> Fix:
    title, several = "remove the empty text", "remove the empty texts"
    return Fix("remove-text", title, (Remove(block),), recommended=True, several=several)


def _is_empty(block: Block) -> bool:
    return block.kind == "text" and isinstance(block.value, dict) and block.value.get("text") == ""


def _with_copied_id(old: Item | None, item: Item) -> Item:
    """The record with the new id of its result in the agent's notes on it, too."""
    copy = value_at(item.value, ("toolCallResult", "callId"))
    if old is None or old is item or not isinstance(copy, str):
        return item
    ids = zip(_result_ids(old.value), _result_ids(item.value), strict=False)
    new = next((now for was, now in ids if was == copy and isinstance(now, str)), copy)
    return item if new == copy else Item(item.uid, with_slots(item.value, {("toolCallResult", "callId"): new}))


def _result_ids(value: Any) -> list[Any]:
    return [block.id for block in dialect.blocks_of(_parts(value), 0, ()) if block.kind == "result"]


@cache
def _of_profile(profile: str) -> QwenCode:
    return FORMAT if profile == FORMAT.profile else QwenCode(profile)


FORMAT: Final = QwenCode()


# --- the agent ---------------------------------------------------------------------------------------------

_CHATS: Final = "chats"
_PROJECTS: Final = "projects"
_ID: Final = re.compile(r"[0-9a-fA-F-]{32,36}")


class QwenCodeAgent(Agent):
    """Qwen Code itself: `qwen`."""

    id = "qwen-code"
    title = TITLE
    variable = "QWEN_HOME"
    usual_home = ".qwen"
    suffix = ".jsonl"
    program = Program(
        "qwen",
        TITLE,
        r"[/\\]@qwen-code[/\\]qwen-code[/\\]|[/\\]qwen-code[/\\]",
        session_options=("--resume", "-r", "--session-id"),
        other_work=frozenset({"mcp", "extensions", "auth", "hooks", "channel", "serve"}),
        package="@qwen-code/qwen-code",
        places=(".local/bin",),
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (machine.folder("QWEN_RUNTIME_DIR", self.home(machine)) / _PROJECTS,)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.source import peek

        for project in peek.entries(self.roots(machine)[0]):
            if not peek.is_folder(project):
                continue
            for entry in peek.entries(f"{project.path}/{_CHATS}"):
                stat = peek.regular(entry) if _ID.fullmatch(entry.name.removesuffix(".jsonl")) else None
                if stat is not None and entry.name.endswith(".jsonl"):
                    yield self.found(entry.path, entry.name[:-6], stat)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        from pathlib import Path

        return Path(found.path).parent.parent.name == _folder_name(folder)

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.source import peek

        words = peek.last_said(found.path, found.size, _words_of)
        return peek.folder_in(peek.head(found.path)), peek.one_line(words)

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.way_back import WayBack

        if not file.session_id or file.session_id.startswith("-"):
            return None
        return WayBack(("qwen", "--resume", file.session_id), file.folder)

    def home_of(self, path: Path, session_id: str) -> Path | None:
        parents = path.parents
        named = path.name == session_id + ".jsonl" and len(parents) > 3 and parents[0].name == _CHATS
        return parents[3] if named and parents[2].name == _PROJECTS else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        if file.folder is None:
            return None
        return self.roots(machine)[0] / _folder_name(file.folder) / _CHATS / f"{file.session_id}.jsonl"

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        blocks = (problem.call, problem.result, *problem.others)
        glued = _of(transcript).glued
        if any(block is not None and isinstance(block.id, str) and block.id in glued for block in blocks):
            return OnResume(TITLE, NEWEST, "healed", None, "Qwen Code takes the glued line apart and reads both.")
        return what_becomes(TITLE, NEWEST, problem, seen, _OUTCOMES)


def _folder_name(folder: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "-", folder)


AGENT: Final = QwenCodeAgent()
