"""pi's session files: JSONL, a tree of records, each message in an envelope. As measured on 0.87.1 and 0.73.1.

What the history is and what pi sends of it was read in pi's own code and held against pi itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from toolpair.dialects import pi as dialect
from toolpair.dialects.block_texts import WrittenBlock, is_real_output
from toolpair.dialects.block_values import without_halves
from toolpair.dialects.item_types import type_name
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
from toolpair.formats.tree import Tree, TreeEnvelope
from toolpair.formats.tree_history import End, Node, NodeTree, branches_of, id_from, inactive_ways, links_of, skipped
from toolpair.formats.turns import Outcome, Sending, Turn, is_blank, messages_of, request_of, what_becomes
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, OnResume, Problem
from toolpair.transcript.draft import DraftMessage
from toolpair.transcript.edits import Edit, InsertRecord
from toolpair.transcript.model import Block, Boundary, Damaged, Scope, Transcript
from toolpair.transcript.record_tree import RecordTree

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.way_back import WayBack
    from toolpair.shell.machine import Machine

# --- data --------------------------------------------------------------------------------------------------

TITLE: Final = "pi"
NEWEST: Final = "0.87.1"
OLD: Final = "0.73.1"
_EDITS_SINCE: Final = (0, 87)
"""From which version on a `context_edit` counts, and a file without its first line is refused."""
NO_RESULT: Final = "No result provided"
IMAGE_ONLY: Final = "(see attached image)"
_SUMMARY: Final = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
)
_BRANCH: Final = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
)
_SUMMARIES: Final = {
    "compaction": _SUMMARY,
    "compactionSummary": _SUMMARY,
    "branch_summary": _BRANCH,
    "branchSummary": _BRANCH,
}
"""Type of a record, or role of a message, that is a summary -> what pi says around it."""
_SPEAKING: Final = ("user", "assistant", "custom", "hookMessage")
_PROFILES: Final = {
    "openai-completions": "openai-chat",
    "mistral-conversations": "mistral",
    "openai-responses": "openai-responses",
    "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses",
    "google-generative-ai": "gemini",
    "google-gemini-cli": "gemini",
    "google-vertex": "gemini",
    "bedrock-converse-stream": "bedrock-converse",
}
"""`api` of a response -> the profile that its session is checked against."""
_ROLES: Final = ("user", "assistant", dialect.RESULT)
_NOT_SESSIONS: Final = ("agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_end")
"""Records of what `pi --mode json` prints, which begins as a session does."""
_NO_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")
_FORGETS: Final = "pi forgets everything before this line without telling you."
_LOOP: Final = "pi does not start: the links between its records form a loop."
_NO_MESSAGE: Final = "pi does not start: a record that should have a message has none."
_NULL: Final = "pi does not start: a line of the file is null."
_NO_HEADER: Final = "pi does not resume this session: its first line does not say that it is one."
_FILLED: Final = 'pi tells the model that there is "No result provided" for this call.'
_SENT: Final[Outcome] = ("rejected", "pi sends it as it is, and the API refuses the session.", None)
_OUTCOMES: Final[dict[str, Outcome]] = {
    **dict.fromkeys(
        (
            "result.orphan",
            "result.duplicate",
            "result.id_mismatch",
            "result.not_adjacent",
            "result.not_first",
            "result.crossed",
            "call.duplicate_id",
            "call.reused_id",
            "id.empty",
            "id.length",
            "id.pattern",
            "args.not_object",
        ),
        _SENT,
    ),
    "result.placeholder": ("placeholder", "pi sends the placeholder as it is.", "the real output"),
    "chain.cycle": ("rejected", _LOOP, "history"),
    "chain.missing_parent": ("dropped", _FORGETS, "history"),
    "chain.second_root": ("dropped", _FORGETS, "history"),
    "chain.null_parent": ("dropped", _FORGETS, "history"),
    "chain.wrong_leaf": ("dropped", "pi continues from this line and does not see what follows.", "history"),
    "result.missing": ("placeholder", _FILLED, None),
    "turn.trailing_call": ("placeholder", _FILLED, None),
    "result.order": ("kept", "pi sends the results as they are, which the API accepts.", None),
    "result.split_over_messages": (
        "rejected",
        'pi sends these results and "No result provided" for the same calls, and the API refuses the session.',
        None,
    ),
    "turn.alternation": ("healed", "pi sends both messages as they are, which the API accepts.", None),
    "turn.trailing_assistant": ("healed", "pi continues with your next words.", None),
    "content.empty_text": ("healed", "pi leaves the empty text out.", None),
    "content.empty_message": ("healed", "pi leaves the empty message out.", None),
    "record.lone_surrogate": ("healed", "pi leaves the damaged characters out.", None),
    "reasoning.missing_signature": ("healed", "pi sends the thinking as text.", None),
}
"""What pi makes of a problem, by its rule."""
_NO_TIME: Final = "1970-01-01T00:00:00.000Z"


class _History(Struct, eq=False):
    """What pi makes of a file's records."""

    items: Sequence[Item]
    tree: NodeTree
    path: Sequence[Node]
    end: End
    turns: Sequence[Turn]
    """What is sent, in order, results one by one."""
    version: str
    """The measured one whose ways these are."""
    edits: bool
    """It knows `context_edit`."""
    own: Node | None
    """Where pi itself continues."""
    header: dict[str, Any] | None
    linear: bool
    """It is of the first version: without ids and links."""
    kept: bool | None
    """Whether what the last compaction kept was found; None without one."""


# --- records -----------------------------------------------------------------------------------------------


def _knows_edits(version: str | None) -> bool:
    found = re.match(r"(\d+)\.(\d+)", version or NEWEST)
    return found is None or (int(found[1]), int(found[2])) >= _EDITS_SINCE


def _message(value: Any) -> dict[str, Any]:
    found = value.get("message") if isinstance(value, dict) and value.get("type") == "message" else None
    return found if isinstance(found, dict) else {}


def _is_node(value: Any) -> bool:
    session = isinstance(value, dict) and value.get("type") == "session"
    return bool(value) and not session and not isinstance(value, Damaged)


def _tree(items: Sequence[Item], linear: bool) -> NodeTree:
    """The records of the tree. In the first version they have neither ids nor links: each hangs on the one before."""
    nodes: list[Node] = []
    for item in items:
        value = item.value
        if not _is_node(value):
            continue
        fields = value if isinstance(value, dict) else {}
        id_, parent = _key(fields.get("id")), _key(fields.get("parentId")) or None
        if linear:
            id_, parent = f"#{item.uid}", nodes[-1].id if nodes else None
        message = _message(value)
        real = message.get("role") == dialect.RESULT and is_real_output(dialect.result_block(message, 0, ()))
        role = message.get("role")
        nodes.append(Node(item.uid, len(nodes), id_, parent, value, role in _ROLES, real, role in (None, "user")))
    return NodeTree(nodes)


def _key(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else None


def _history(items: Sequence[Item], leaf: str | None, version: str | None) -> _History:
    first = next((item.value for item in items if item.value and not isinstance(item.value, Damaged)), None)
    header = first if isinstance(first, dict) and first.get("type") == "session" else None
    header = header if header is not None and isinstance(header.get("id"), str) else None
    linear = header is not None and header.get("version", 1) in (None, 0, 1)
    tree, edits = _tree(items, linear), _knows_edits(version)
    own = tree.nodes[-1] if tree.nodes else None
    path, end = tree.walk((tree.named(leaf) if leaf is not None else None) or own)
    entries, kept = _entries(path, items)
    turns = list(_turns(entries, edits, _model(path)[1]))
    return _History(items, tree, path, end, turns, NEWEST if edits else OLD, edits, own, header, linear, kept)


def _entries(path: Sequence[Node], items: Sequence[Item]) -> tuple[Sequence[Node], bool | None]:
    """The records that are sent: the last compaction, what it kept, what follows it; and whether that was found."""
    at = next((n for n in range(len(path) - 1, -1, -1) if _type(path[n]) == "compaction"), None)
    if at is None:
        return path, None
    value, kept = path[at].value, None
    if "firstKeptEntryId" in value:
        kept = next((n for n in range(at) if path[n].id == value["firstKeptEntryId"]), None)
    elif isinstance(index := value.get("firstKeptEntryIndex"), int):
        read = _read_by_pi(items)
        kept = next((n for n in range(at) if 0 <= index < len(read) and path[n].uid == read[index]), None)
    return [path[at], *(path[kept:at] if kept is not None else ()), *path[at + 1 :]], kept is not None


def _read_by_pi(items: Sequence[Item]) -> list[int]:
    """The uids of the records that a compaction of the first version counts."""
    return [item.uid for item in items if item.value and not isinstance(item.value, Damaged)]


def _counted(history: _History, items: Sequence[Item]) -> Iterator[Item]:
    """The records of the first version, where each compaction names the same record by its number as before."""
    old, now = _read_by_pi(history.items), {uid: number for number, uid in enumerate(_read_by_pi(items))}
    for item in items:
        index = item.value.get("firstKeptEntryIndex") if isinstance(item.value, dict) else None
        kept = range(index, len(old)) if isinstance(index, int) and index >= 0 else ()
        new = next((now[old[number]] for number in kept if old[number] in now), index)
        yield item if new == index else Item(item.uid, {**item.value, "firstKeptEntryIndex": new})


def _type(node: Node) -> Any:
    return node.value.get("type") if isinstance(node.value, dict) else None


def _turns(entries: Sequence[Node], edits: bool, api: Any) -> Iterator[Turn]:
    edit_of = {_key(n.value.get("targetId")): n for n in entries if edits and _type(n) == "context_edit"}
    for number, node in enumerate(entries):
        edit = edit_of.get(node.id) if node.id is not None else None
        if edit is not None and not isinstance(edit.value.get("replacement"), dict):
            continue  # it is left out
        turn = _turn(node, api, edit) if number == 0 or _type(node) != "compaction" else None
        if turn is not None:
            yield turn


def _turn(node: Node, api: Any, edit: Node | None = None) -> Turn | None:
    """What a record says; None for one that pi does not send, or sends as its system prompt.

    A `context_edit` gives it another content.
    """
    value = node.value if isinstance(node.value, dict) else {}
    message, kind, uid = _message(value), _text(value.get("type")), node.uid
    role = "custom" if kind == "custom_message" else _text(message.get("role"))
    content = edit.value["replacement"].get("content") if edit is not None else None
    blocks: tuple[Block, ...]
    instead = None
    if role == dialect.RESULT:
        content = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks = (dialect.result_block(message, uid, ("message",), api, content),)
    elif role in _SPEAKING and edit is not None:
        instead, blocks = edit.uid, dialect.blocks_of(content, edit.uid, ("replacement", "content"), api)
    elif role in _SPEAKING:
        slot = ("message", "content") if message else ("content",)
        blocks = dialect.blocks_of((message or value).get("content"), uid, slot, api)
    elif (words := _words(message or value, role or kind)) is not None:
        blocks = (WrittenBlock("text", words, uid, ("message",) if message else ("summary",)),)
    else:
        return None
    said = {dialect.RESULT: "result", "assistant": "assistant"}.get(role or "", "user")
    broken_off = role == "assistant" and message.get("stopReason") in ("error", "aborted")
    return Turn(said, node, blocks, _text(value.get("timestamp")), kind in _SUMMARIES, broken_off, instead)


def _words(said: dict[str, Any], kind: Any) -> str | None:
    """What pi itself says of summaries, and of commands that the user ran."""
    if kind in _SUMMARIES:
        before, after = _SUMMARIES[kind]
        return f"{before}{said.get('summary')}{after}" if said.get("summary") or kind == "compaction" else None
    if kind != "bashExecution" or said.get("excludeFromContext"):
        return None
    output, code = said.get("output"), said.get("exitCode")
    text = f"Ran `{said.get('command')}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if said.get("cancelled") or code:
        text += "\n\n(command cancelled)" if said.get("cancelled") else f"\n\nCommand exited with code {code}"
    if said.get("truncated") and said.get("fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {said['fullOutputPath']}]"
    return text


# --- the transcript ----------------------------------------------------------------------------------------


def _read(items: Sequence[Item], view: View) -> Transcript:
    history = _history(items, view.leaf, view.agent_version)
    scopes: dict[int, Scope] = {item.uid: "malformed" for item in items if isinstance(item.value, Damaged)}
    messages = tuple(messages_of(history.turns))
    said = {uid for message in messages for uid in message.records}
    beside = [turn for node in history.tree.nodes if node.uid not in said and (turn := _turn(node, None)) is not None]
    scopes.update((turn.node.uid, "inactive") for turn in beside)
    leaf = history.path[-1] if view.leaf is not None and history.path else None
    links = links_of(history.tree, history.path, history.end, len(messages), TITLE, history.kept is True)
    compaction: tuple[Boundary, ...] = ()
    if history.kept is not None and history.turns:
        summary = history.turns[0].node.uid
        compaction = (Boundary(0, "replaced by a summary (normal)", summary),)
    header = history.header or {}
    return Transcript(
        messages,
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=history,
        session_id=_text(header.get("id")),
        folder=_text(header.get("cwd")),
        model=_text(_model(history.path)[2]),
        scopes=scopes,
        inactive_blocks=tuple(b for turn in beside for b in turn.blocks if b.kind in ("call", "result")),
        boundaries=(*compaction, *links.boundaries),
        tree=RecordTree(
            leaf=_text(leaf.id) if leaf is not None else None,
            branches=branches_of(history.tree, history.path, history.own, _user_words),
            elsewhere=leaf is not None and leaf is not history.own,
            broken=links.broken,
        ),
    )


def _is_model(node: Node) -> bool:
    return _message(node.value).get("role") == "assistant"


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _user_words(node: Node) -> tuple[str, str | None]:
    message = _message(node.value)
    if message.get("role") != "user":
        return "", None
    texts = (block.value for block in dialect.blocks_of(message.get("content"), 0, (), None) if block.kind == "text")
    words = " ".join(text if isinstance(text, str) else str(text.get("text") or "") for text in texts)
    return " ".join(words.split()), _text(node.value.get("timestamp"))


# --- what is sent ------------------------------------------------------------------------------------------


def _sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = _of(transcript)
    history = known if known.items is items else _history(items, transcript.tree.leaf, NEWEST if known.edits else OLD)
    refuses = _LOOP if history.end == "cycle" else _NO_HEADER if history.header is None and history.edits else None
    if any(_type(node) == "message" and not _message(node.value) for node in history.path):
        refuses = _NO_MESSAGE
    if not history.edits and any(item.value is None for item in items):
        refuses = _NULL
    turns = history.turns if history.header is not None else ()
    return request_of(turns, transcript, _Sending(_model(history.path)), TITLE, history.version, refuses)


def _model(path: Sequence[Node]) -> tuple[Any, Any, Any]:
    """Provider, API and name of the model that continues."""
    return next((_model_of(node) for node in reversed(path) if _is_model(node)), (None, None, None))


def _model_of(node: Node) -> tuple[Any, Any, Any]:
    message = _message(node.value)
    return message.get("provider"), message.get("api"), message.get("model")


class _Sending(Sending):
    """What was another model's, goes out without its signatures, and with ids that this one takes."""

    def __init__(self, model: tuple[Any, Any, Any]) -> None:
        self.model = model
        self.renamed: dict[str, str] = {}

    def part(self, turn: Turn, block: Block) -> Any:
        value = block.value
        match block.kind:
            case "result":
                id_ = self.renamed.get(repr(block.id), block.id)
                value = _with_texts(value)
                return value if id_ == block.id else {**value, "tool_use_id": id_}
            case "call":
                id_ = self.id_of(turn, block)
                return value if id_ == block.id else {**value, "id": id_}
            case "thinking":
                if self._is_own(turn) and (value.get("signature") or value.get("data")):
                    return without_halves(value)
                words = value.get("thinking")
                return {"type": "text", "text": words} if isinstance(words, str) and words.strip() else None
        return None if block.kind == "other" or is_blank(block) else without_halves(value)

    def id_of(self, turn: Turn, call: Block) -> Any:
        if self._is_own(turn) or self.model[1] != "anthropic-messages" or not isinstance(call.id, str):
            return call.id
        return self.renamed.setdefault(repr(call.id), _NO_ID.sub("_", call.id)[:64])

    def no_result(self, id_: Any) -> Any:
        return {"type": "tool_result", "tool_use_id": id_, "content": NO_RESULT, "is_error": True}

    def _is_own(self, turn: Turn) -> bool:
        return _model_of(turn.node) == self.model


def _with_texts(result: dict[str, Any]) -> dict[str, Any]:
    """A result as it goes out: without halves of characters, and with words beside its images."""
    content = result.get("content")
    if not isinstance(content, list):
        return result
    made = [without_halves(part) for part in content]
    kinds = {type_name(part) for part in content}
    if "image" in kinds and "text" not in kinds:
        made = [{"type": "text", "text": IMAGE_ONLY}, *made]
    same = len(made) == len(content) and all(new is old for new, old in zip(made, content, strict=True))
    return result if same else {**result, "content": made}


# --- what becomes of problems ------------------------------------------------------------------------------


def _damage(history: _History, transcript: Transcript, found: Sequence[Damage]) -> Iterator[ResumeEffect | None]:
    place = {item.uid: number for number, item in enumerate(history.items)}
    for damage in found:
        if damage.first and not (damage.readable and damage.rule != "record.bom"):
            yield _first_line(damage, history.edits)
        else:
            yield skipped(damage, TITLE, history.tree, transcript, place)


def _first_line(damage: Damage, edits: bool) -> ResumeEffect | None:
    """What comes of a session whose first line pi cannot read."""
    if damage.rule == "record.bom" and not edits:
        return ResumeEffect("harmless", "pi ignores it", "healed")
    whole = damage.values[0] if damage.values else damage.partial
    complete = isinstance(whole, dict) and whole.get("type") == "session" and isinstance(whole.get("id"), str)
    complete = complete and (bool(damage.values) or next(reversed(whole)) != "id")
    if edits:
        return ResumeEffect("stops", "pi does not resume this session", "rejected", complete=complete)
    return ResumeEffect("loses", "pi begins an empty session in its place", "dropped", "history", complete=complete)


def _check(context: Context, history: _History, view: View) -> None:
    """A file without its first line: nothing else says which session it is."""
    first = next(iter(history.items), None)
    if history.header is not None or first is None or isinstance(first.value, Damaged) or not history.tree.nodes:
        return
    value = first.value if isinstance(first.value, dict) else {}
    _, _, id_ = (view.beside.path.stem if view.beside is not None else "").partition("_")
    header = {"type": "session", "version": 3, "id": id_ or "restored-session", "timestamp": value.get("timestamp")}
    title = "write a first line, from the file's name and its other lines"
    note = "pi asks for the folder that the session was had in, or takes the one that it is started in"
    edit = InsertRecord({key: found for key, found in header.items() if found}, first.uid)
    context.add(
        "rollout.no_meta",
        "The file does not start with its session line, so pi does not resume this session.",
        record=first.uid,
        severity="error",
        impact="stops" if history.edits else "loses",
        cause=Cause("rollout.no_meta", "the first line was lost or cut off"),
        fixes=(Fix("rebuild-meta", title, (edit,), recommended=True, note=note),),
    )


# --- the format --------------------------------------------------------------------------------------------


class _Envelope(TreeEnvelope, frozen=True):
    def slot_in(self, value: Any) -> dialect.Slot:
        kind = value.get("type") if isinstance(value, dict) else None
        return ("message",) if kind == "message" else ("replacement",) if kind == "context_edit" else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        near = beside.record if isinstance(beside.record, dict) else {}
        ids = {"id": None, "parentId": None} if self.linked else {}
        message = {**message, "timestamp": _message(near).get("timestamp", 0)}
        return {"type": "message", **ids, "timestamp": near.get("timestamp", _NO_TIME), "message": message}

    def new_id(self, seed: str, attempt: int) -> str:
        return id_from(seed, attempt)

    def is_node(self, value: Any) -> bool:
        return _is_node(value)


_LINKED: Final = _Envelope(first_of=("firstKeptEntryId",))
_LINEAR: Final = _Envelope(linked=False)


class Pi:
    """The session file of pi. `profile` follows from the API that the session speaks."""

    id = "pi"
    title = TITLE
    containers = frozenset({"lines"})
    id_key = "id"
    links = ("parentId", "firstKeptEntryId")
    where = "~/.pi/agent/sessions/--<folder>--/<time>_<session id>.jsonl (or under $PI_CODING_AGENT_DIR)"

    def __init__(self, profile: str = "anthropic") -> None:
        self.profile = profile

    def sniff(self, values: Sequence[Any]) -> int:
        records = [value for value in values if isinstance(value, dict)]
        if any(record.get("type") in _NOT_SESSIONS or _is_openclaw(record) for record in records):
            return 0
        first = records[0] if records else {}
        if first.get("type") == "session" and isinstance(first.get("id"), str) and first.keys() & {"cwd", "version"}:
            return 95
        own = (_message(record).get("role") in _ROLES and "parentId" in record and "id" in record for record in records)
        return 93 if any(own) else 0

    def for_records(self, values: Sequence[Any]) -> Pi:
        """The same for sessions of the API that the last of these responses came from."""
        messages = (_message(value) for value in reversed(values))
        api = next((message.get("api") for message in messages if message.get("role") == "assistant"), None)
        return _of_profile(_PROFILES.get(api, "anthropic") if isinstance(api, str) else "anthropic")

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        return _read(items, view)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        from toolpair.dialects.pi_writer import PiWriter

        history = _of(transcript)
        writer = PiWriter(dict(zip(("provider", "api", "model"), _model(history.path), strict=True)))
        path = [node.uid for node in history.path]
        instead = {turn.instead: turn.node.uid for turn in history.turns if turn.instead is not None}
        envelope = _LINEAR if history.linear else _LINKED
        made = Tree(items, transcript, writer, envelope, path, instead).run(edits)
        return list(_counted(history, made)) if history.linear else made

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        return list(_damage(_of(transcript), transcript, found))

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        return _sees(items, transcript)

    def check(self, context: Context, items: Sequence[Item], view: View) -> None:
        _check(context, _of(context.transcript), view)

    def notes_on_fixes(self, items: Sequence[Item], transcript: Transcript, fixes: Sequence[Fix]) -> list[str | None]:
        return [None] * len(fixes)

    def inactive(self, items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
        history = _of(transcript)
        by_uid = {item.uid: item for item in items}
        head = [item for item in items if item.value is history.header]
        for leaf, nodes in inactive_ways(history.tree, history.path):
            yield leaf, [*head, *(by_uid[node.uid] for node in nodes)]

    def subagent_sessions(
        self, items: Sequence[Item], transcript: Transcript, beside: Beside
    ) -> Iterable[SubagentSession]:
        return ()

    def request_kept(self, items: Sequence[Item], response: int | None) -> KeptRequest:
        from toolpair.formats.pi_settings import request_kept

        return request_kept(items)

    def time_of(self, value: Any) -> float | None:
        return time_in(value)

    def usage_of(self, value: Any) -> Usage | None:
        message = _message(value) if isinstance(value, dict) else {}
        usage = message.get("usage") if message.get("role") == "assistant" else None
        written = count_in(usage, "output")
        read = count_in(usage, "input", "cacheRead", "cacheWrite")
        return Usage(read + written, written) if read + written else None


def _of(transcript: Transcript) -> _History:
    assert isinstance(transcript.agent_facts, _History)
    return transcript.agent_facts


def _is_openclaw(record: dict[str, Any]) -> bool:
    """OpenClaw's older transcripts are pi's but for records of its own."""
    kinds = (record.get("type"), record.get("customType"))
    return any(isinstance(kind, str) and (kind.startswith("openclaw") or kind == "model-snapshot") for kind in kinds)


@cache
def _of_profile(profile: str) -> Pi:
    return FORMAT if profile == FORMAT.profile else Pi(profile)


FORMAT: Final = Pi()


# --- the agent ---------------------------------------------------------------------------------------------


class PiAgent(Agent):
    """pi itself: `pi`, which continues any file that it is given."""

    id = "pi"
    title = TITLE
    outcomes = _OUTCOMES
    variable = "PI_CODING_AGENT_DIR"
    usual_home = ".pi/agent"
    suffix = ".jsonl"
    program = Program(
        "pi",
        TITLE,
        r"[/\\]pi-coding-agent[/\\]",
        session_options=("--session",),
        other_work=frozenset({"install", "remove", "update", "list", "config"}),
        package="@earendil-works/pi-coding-agent",
        older_packages=("@mariozechner/pi-coding-agent",),
        places=(".local/bin",),
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (machine.folder("PI_CODING_AGENT_SESSION_DIR", self.home(machine) / "sessions"),)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.source import peek

        for entry, stat in peek.files_below(self.roots(machine)[0], ".jsonl"):
            yield self.found(entry.path, entry.name[:-6].partition("_")[2] or entry.name[:-6], stat)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        named = re.sub(r"[/\\:]", "-", re.sub(r"\A[/\\]", "", folder))
        return os.path.basename(os.path.dirname(found.path)) == f"--{named}--"

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.source import peek

        words = peek.last_said(found.path, found.size, lambda record: _user_words(Node(0, 0, 0, 0, record))[0])
        return peek.folder_in(peek.head(found.path)), peek.one_line(words)

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.way_back import WayBack

        if file.path is None:
            return WayBack((), sentence="Start `pi --session` with the file.")
        return WayBack(("pi", "--session", os.path.abspath(file.path)), file.folder)

    def in_place(self, path: Path, session_id: str) -> bool:
        return True

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        return what_becomes(TITLE, _of(transcript).version, problem, seen, _OUTCOMES)


AGENT: Final = PiAgent()
