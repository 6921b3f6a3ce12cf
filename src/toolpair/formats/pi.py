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
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
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
    View,
)
from toolpair.formats.tree import Change, Envelope, OriginOf, Slot, TreeWriter, Turn
from toolpair.formats.tree_history import End, Node, Tree, branches_of, inactive_ways, links_of, skipped
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Effect, Fix, OnResume, Problem
from toolpair.transcript.content import is_real_output, output_bytes
from toolpair.transcript.edits import Edit, InsertRecord
from toolpair.transcript.model import Block, Boundary, Damaged, Message, Scope, Transcript

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
_HALVES: Final = re.compile("[\ud800-\udfff]")
_NO_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")
_FORGETS: Final = "pi forgets everything before this line without telling you."
_LOOP: Final = "pi does not start: the links between its records form a loop."
_NO_HEADER: Final = "pi does not resume this session: its first line does not say that it is one."
_REJECTED: Final = "pi sends it as it is, and the API refuses the session."
_FILLED: Final = 'pi tells the model that there is "No result provided" for this call.'
_EFFECTS: Final[dict[str, tuple[Effect, str, str | None]]] = {
    "chain.cycle": ("rejected", _LOOP, "history"),
    "chain.missing_parent": ("dropped", _FORGETS, "history"),
    "chain.second_root": ("dropped", _FORGETS, "history"),
    "chain.wrong_leaf": ("dropped", "pi goes on from this line and does not see what follows.", "history"),
    "result.missing": ("placeholder", _FILLED, None),
    "turn.trailing_call": ("placeholder", _FILLED, None),
    "result.order": ("kept", "pi sends the results as they are, which the API accepts.", None),
    "result.split_over_messages": ("healed", "pi sends all results of a turn together.", None),
    "turn.alternation": ("healed", "pi sends both messages as they are, which the API accepts.", None),
    "turn.trailing_assistant": ("healed", "pi continues with your next words.", None),
    "content.empty_text": ("healed", "pi leaves the empty text out.", None),
    "content.empty_message": ("healed", "pi leaves the empty message out.", None),
    "record.lone_surrogate": ("healed", "pi leaves the damaged characters out.", None),
    "reasoning.missing_signature": ("healed", "pi sends the thinking as text.", None),
}
"""What pi makes of a problem, by its rule: the effect, a sentence, what is lost."""
_SENT_AS_IT_IS: Final = (
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
)


_NO_USAGE: Final = {
    **dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "totalTokens"), 0),
    "cost": dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0),
}


class _History(Struct, eq=False):
    """What pi makes of a file's records."""

    items: Sequence[Item]
    tree: Tree
    path: Sequence[Node]
    end: End
    turns: Sequence[Turn]
    """What is sent, in order, results one by one."""
    edits: bool
    """The version that resumes it knows `context_edit`."""
    own: Node | None
    """Where pi itself goes on."""
    header: dict[str, Any] | None
    compacted: bool


# --- records -----------------------------------------------------------------------------------------------


def _knows_edits(version: str | None) -> bool:
    found = re.match(r"(\d+)\.(\d+)", version or NEWEST)
    return found is None or (int(found[1]), int(found[2])) >= _EDITS_SINCE


def _message(value: Any) -> dict[str, Any]:
    found = value.get("message") if isinstance(value, dict) and value.get("type") == "message" else None
    return found if isinstance(found, dict) else {}


def _tree(items: Sequence[Item], header: dict[str, Any] | None) -> Tree:
    """The records of the tree. In the first version they have neither ids nor links: each hangs on the one before."""
    linear = header is not None and header.get("version", 1) in (None, 0, 1)
    nodes: list[Node] = []
    for item in items:
        value = item.value
        if isinstance(value, Damaged) or not value or (isinstance(value, dict) and value.get("type") == "session"):
            continue
        fields = value if isinstance(value, dict) else {}
        id_, parent = _key(fields.get("id")), _key(fields.get("parentId")) or None
        if linear:
            id_, parent = f"#{item.uid}", nodes[-1].id if nodes else None
        message = _message(value)
        real = message.get("role") == dialect.RESULT and is_real_output(dialect.result_block(message, 0, ()))
        nodes.append(Node(item.uid, len(nodes), id_, parent, value, message.get("role") in _ROLES, real))
    return Tree(nodes)


def _key(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else None


def _history(items: Sequence[Item], leaf: str | None, version: str | None) -> _History:
    first = next((item.value for item in items if item.value and not isinstance(item.value, Damaged)), None)
    header = first if isinstance(first, dict) and first.get("type") == "session" else None
    header = header if header is not None and isinstance(header.get("id"), str) else None
    tree, edits = _tree(items, header), _knows_edits(version)
    own = tree.nodes[-1] if tree.nodes else None
    path, end = tree.walk((tree.named(leaf) if leaf is not None else None) or own)
    entries, compacted = _entries(path, items)
    turns = list(_turns(entries, compacted, edits, _api(path)))
    return _History(items, tree, path, end, turns, edits, own, header, compacted)


def _entries(path: Sequence[Node], items: Sequence[Item]) -> tuple[list[Node], bool]:
    """The records that are sent: behind the last compaction, which comes first, what it kept and what follows it."""
    at = next((n for n in range(len(path) - 1, -1, -1) if _type(path[n]) == "compaction"), None)
    if at is None:
        return list(path), False
    value, kept = path[at].value, None
    if "firstKeptEntryId" in value:
        kept = next((n for n in range(at) if path[n].id == value["firstKeptEntryId"]), None)
    elif isinstance(index := value.get("firstKeptEntryIndex"), int):
        read = [item.uid for item in items if item.value and not isinstance(item.value, Damaged)]
        kept = next((n for n in range(at) if 0 <= index < len(read) and path[n].uid == read[index]), None)
    return [path[at], *(path[kept:at] if kept is not None else ()), *path[at + 1 :]], True


def _type(node: Node) -> Any:
    return node.value.get("type") if isinstance(node.value, dict) else None


def _api(path: Sequence[Node]) -> Any:
    """The API that the session speaks, by its last response."""
    found = (message for node in reversed(path) if (message := _message(node.value)).get("role") == "assistant")
    return next((message.get("api") for message in found), None)


def _turns(entries: Sequence[Node], compacted: bool, edits: bool, api: Any) -> Iterator[Turn]:
    edit_of = {_key(n.value.get("targetId")): n for n in entries if edits and _type(n) == "context_edit"}
    for number, node in enumerate(entries):
        edit = edit_of.get(node.id) if node.id is not None else None
        replacement = edit.value.get("replacement") if edit is not None else None
        if (edit is not None and not isinstance(replacement, dict)) or (number and _type(node) == "compaction"):
            continue
        turn = _turn(node, api)
        if turn is not None and edit is not None and isinstance(replacement, dict) and turn.blocks:
            turn = _replaced(turn, edit, replacement, api)
        if turn is not None:
            yield turn


def _turn(node: Node, api: Any) -> Turn | None:
    """What a record says; None for one that pi does not send, or sends as its system prompt."""
    value = node.value if isinstance(node.value, dict) else {}
    match value.get("type"):
        case "message":
            message = _message(value)
            role = message.get("role")
            if role == dialect.RESULT:
                return Turn("result", node, (dialect.result_block(message, node.uid, ("message",), api),))
            if role in ("user", "assistant", "custom", "hookMessage"):
                blocks = _parts(message.get("content"), node.uid, ("message", "content"), api)
                return Turn("assistant" if role == "assistant" else "user", node, blocks)
            return _told(node, _words(message), ("message",))
        case "custom_message":
            return Turn("user", node, _parts(value.get("content"), node.uid, ("content",), api))
        case "branch_summary" if value.get("summary"):
            return _told(node, _around(_BRANCH, value["summary"]), ("summary",))
        case "compaction":
            return _told(node, _around(_SUMMARY, value.get("summary")), ("summary",))
    return None


def _parts(content: Any, uid: int, slot: Slot, api: Any) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Block("text", content, uid, slot),)
    parts = content if isinstance(content, list) else []
    return tuple(dialect.part_block(part, uid, (*slot, number), api) for number, part in enumerate(parts))


def _told(node: Node, words: str | None, slot: Slot) -> Turn | None:
    return None if words is None else Turn("user", node, (Block("text", words, node.uid, slot),))


def _around(words: tuple[str, str], summary: Any) -> str:
    return f"{words[0]}{summary}{words[1]}"


def _words(message: dict[str, Any]) -> str | None:
    """What pi makes of messages that are no one's words: commands that the user ran, and summaries."""
    match message.get("role"):
        case "compactionSummary":
            return _around(_SUMMARY, message.get("summary"))
        case "branchSummary":
            return _around(_BRANCH, message.get("summary"))
        case "bashExecution" if not message.get("excludeFromContext"):
            output, code = message.get("output"), message.get("exitCode")
            text = f"Ran `{message.get('command')}`\n" + (f"```\n{output}\n```" if output else "(no output)")
            if message.get("cancelled"):
                text += "\n\n(command cancelled)"
            elif code:
                text += f"\n\nCommand exited with code {code}"
            if message.get("truncated") and message.get("fullOutputPath"):
                text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
            return text
    return None


def _replaced(turn: Turn, edit: Node, replacement: dict[str, Any], api: Any) -> Turn:
    """The turn with the content that a `context_edit` gives it."""
    content, message = replacement.get("content"), _message(turn.node.value)
    if not message and _type(turn.node) != "custom_message":
        return turn
    if turn.role == "result":
        given = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return Turn("result", turn.node, (dialect.result_block(message, turn.node.uid, ("message",), api, given),))
    return Turn(turn.role, turn.node, _parts(content, edit.uid, ("replacement", "content"), api))


# --- the transcript ----------------------------------------------------------------------------------------


def _is_dropped(turn: Turn) -> bool:
    """A response that broke off is never sent, nor are its calls."""
    return turn.role == "assistant" and _message(turn.node.value).get("stopReason") in ("error", "aborted")


def _read(items: Sequence[Item], view: View) -> Transcript:
    history = _history(items, view.leaf, view.agent_version)
    scopes: dict[int, Scope] = {item.uid: "malformed" for item in items if isinstance(item.value, Damaged)}
    messages = list(_messages(history.turns))
    said = {uid for message in messages for uid in message.records}
    beside = [node for node in history.tree.nodes if node.uid not in said and _turn(node, None) is not None]
    scopes.update((node.uid, "inactive") for node in beside)
    inactive = (block for node in beside if (turn := _turn(node, None)) is not None for block in turn.blocks)
    leaf = history.path[-1] if view.leaf is not None and history.path else None
    boundaries: list[Boundary] = []
    if history.compacted:
        text = "replaced by a summary (normal)"
        boundaries.append(Boundary(0, "compaction", text, history.turns[0].node.uid if history.turns else None))
    links = links_of(history.tree, history.path, history.end, len(messages), TITLE)
    header, last = history.header or {}, next((_message(n.value) for n in reversed(history.path) if _is_model(n)), {})
    return Transcript(
        tuple(messages),
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=history,
        session_id=_text(header.get("id")),
        folder=_text(header.get("cwd")),
        model=_text(last.get("model")),
        scopes=scopes,
        inactive_blocks=tuple(block for block in inactive if block.kind in ("call", "result")),
        boundaries=(*boundaries, *links.boundaries),
        leaf=_text(leaf.id) if leaf is not None else None,
        branches=branches_of(history.tree, history.path, history.own, _user_words),
        elsewhere=leaf is not None and leaf is not history.own,
        defects=links.defects,
    )


def _messages(turns: Sequence[Turn]) -> Iterator[Message]:
    """Results in a row are one message, as pi sends them."""
    run: list[Turn] = []
    for turn in turns:
        if run and turn.role != "result":
            yield _as_message("user", run)
            run = []
        if turn.role == "result":
            run.append(turn)
        elif not _is_dropped(turn):
            yield _as_message(turn.role, [turn])
    if run:
        yield _as_message("user", run)


def _as_message(role: str, turns: Sequence[Turn]) -> Message:
    blocks = tuple(block for turn in turns for block in turn.blocks)
    records = dict.fromkeys([*(turn.node.uid for turn in turns), *(block.record for block in blocks)])
    whole = len(blocks) == 1 and isinstance(blocks[0].value, str)
    value = {"role": role, "content": blocks[0].value if whole else [block.value for block in blocks]}
    first = turns[0].node.value
    if isinstance(first, dict) and isinstance(first.get("timestamp"), str):
        value["timestamp"] = first["timestamp"]
    summary = _type(turns[0].node) in ("compaction", "branch_summary")
    return Message(role, blocks, tuple(records), "string" if whole else "blocks", value, "summary" if summary else None)


def _is_model(node: Node) -> bool:
    return _message(node.value).get("role") == "assistant"


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _user_words(node: Node) -> tuple[str, str | None]:
    message = _message(node.value)
    if message.get("role") != "user":
        return "", None
    texts = (block.value for block in _parts(message.get("content"), 0, (), None) if block.kind == "text")
    words = " ".join(text if isinstance(text, str) else str(text.get("text") or "") for text in texts)
    return " ".join(words.split()), _text(node.value.get("timestamp"))


# --- what is sent ------------------------------------------------------------------------------------------


def _sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    known = transcript.agent_facts
    assert isinstance(known, _History)
    history = known if known.items is items else _history(items, transcript.leaf, NEWEST if known.edits else OLD)
    version = NEWEST if history.edits else OLD
    own = {(block.record, block.slot): block for message in transcript.messages for block in message.blocks}
    refuses = _LOOP if history.end == "cycle" else _NO_HEADER if history.header is None and history.edits else None
    sent: list[tuple[str, list[SentPart]]] = []
    for role, parts in _prepared(history.turns if history.header is not None else (), _model(history.path), own):
        if role == "result" and sent and sent[-1][0] == "result":
            sent[-1][1].extend(parts)
        elif parts:
            sent.append((role, list(parts)))
    messages = tuple(SentMessage("user" if role == "result" else role, tuple(parts)) for role, parts in sent)
    fates: dict[int, Fate] = {id(b): "dropped" for b in own.values() if b.kind in ("call", "result") or _is_blank(b)}
    for part in (part for message in messages for part in message.parts if part.block is not None):
        fates[id(part.block)] = "sent" if part.block is None or part.value is part.block.value else "changed"
    return SentRequest(TITLE, version, messages, fates, refuses)


def _is_blank(block: Block) -> bool:
    text = block.value if isinstance(block.value, str) else block.value.get("text") if block.kind == "text" else "."
    return isinstance(text, str) and not text.strip()


def _model(path: Sequence[Node]) -> tuple[Any, Any, Any]:
    """Provider, API and name of the model that goes on."""
    return next((_model_of(_message(node.value)) for node in reversed(path) if _is_model(node)), (None, None, None))


def _model_of(message: dict[str, Any]) -> tuple[Any, Any, Any]:
    return message.get("provider"), message.get("api"), message.get("model")


def _prepared(
    turns: Sequence[Turn], model: tuple[Any, Any, Any], own: dict[Any, Block]
) -> Iterator[tuple[str, list[SentPart]]]:
    """What goes out, turn by turn: each call that nothing answered is answered before anybody says something else."""
    waiting: list[Any] = []
    answered: set[Any] = set()
    renamed: dict[Any, Any] = {}
    for turn in turns:
        blocks = [(block, own.get((block.record, block.slot), block)) for block in turn.blocks]
        if turn.role == "result":
            for block, mine in blocks:
                value = _result(block, renamed)
                answered.add(repr(value.get("tool_use_id")))
                yield "result", [SentPart(value, mine)]
            continue
        yield "result", [SentPart(_filled(id_)) for id_ in waiting if repr(id_) not in answered]
        waiting, answered = [], set()
        if _is_dropped(turn):
            continue
        same = turn.role == "user" or _model_of(_message(turn.node.value)) == model
        parts = [(mine, _part(block, same, renamed)) for block, mine in blocks]
        calls = [block.id for block, _ in blocks if block.kind == "call"]
        waiting = calls if same else [renamed.get(repr(id_), id_) for id_ in calls]
        yield turn.role, [SentPart(value, mine) for mine, value in parts if value is not None]
    yield "result", [SentPart(_filled(id_)) for id_ in waiting if repr(id_) not in answered]


def _filled(id_: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": NO_RESULT, "is_error": True}


def _result(block: Block, renamed: dict[Any, Any]) -> dict[str, Any]:
    value: dict[str, Any] = block.value
    content = value.get("content")
    if isinstance(content, list):
        texts = any(part.get("type") == "text" for part in content if isinstance(part, dict))
        made = [_clean(part) for part in content]
        if not texts and any(part.get("type") == "image" for part in content if isinstance(part, dict)):
            made = [{"type": "text", "text": IMAGE_ONLY}, *made]
        if len(made) != len(content) or any(new is not old for new, old in zip(made, content, strict=True)):
            value = {**value, "content": made}
    id_ = renamed.get(repr(block.id), block.id)
    return value if id_ == block.id else {**value, "tool_use_id": id_}


def _part(block: Block, same: bool, renamed: dict[Any, Any]) -> Any:
    """A part as it goes out; None for one that does not. Of another model's, `same` is False."""
    value = block.value
    if block.kind == "call" and not same and isinstance(block.id, str):  # written by another model
        id_ = renamed[repr(block.id)] = _NO_ID.sub("_", block.id)[:64]
        return value if id_ == block.id else {**value, "id": id_}
    if block.kind == "thinking":
        words = value.get("thinking")
        if same and (value.get("signature") or value.get("data")):
            return _clean(value)
        return {"type": "text", "text": words} if isinstance(words, str) and words.strip() else None
    if _is_blank(block) or block.kind == "other":
        return None
    return _clean(value)


def _clean(value: Any) -> Any:
    """The same without halves of characters."""
    if isinstance(value, str):
        return value if value.isascii() else _HALVES.sub("", value)
    for key in ("text", "thinking"):
        text = value.get(key) if isinstance(value, dict) else None
        if isinstance(text, str) and (clean := _clean(text)) != text:
            value = {**value, key: clean}
    return value


# --- what becomes of problems ------------------------------------------------------------------------------


def _on_resume(history: _History, problem: Problem, seen: SentRequest | None) -> OnResume | None:
    version = NEWEST if history.edits else OLD
    named = dict.fromkeys(block for block in (problem.result, *problem.others) if block is not None)
    results = [block for block in named if block.kind == "result"]
    lost = [block for block in results if seen is not None and is_real_output(block) and not seen.reaches(block)]
    if lost:
        what = "the result" if len(lost) == 1 else f"{len(lost):,} results"
        text = "pi leaves this result out without telling you."
        return OnResume(TITLE, version, "dropped", f"{what}, {output_bytes(lost):,} bytes", text, len(lost))
    if problem.severity == "info" and problem.rule.startswith("chain."):
        return None
    if problem.rule == "result.placeholder":
        return OnResume(TITLE, version, "placeholder", "the real output", "pi sends the placeholder as it is.")
    if problem.rule in _SENT_AS_IT_IS:
        return OnResume(TITLE, version, "rejected", None, _REJECTED)
    effect = _EFFECTS.get(problem.rule)
    return None if effect is None else OnResume(TITLE, version, effect[0], effect[2], effect[1])


def _damage(history: _History, transcript: Transcript, found: Sequence[Damage]) -> Iterator[ResumeEffect | None]:
    for damage in found:
        if damage.first and not (damage.readable and damage.rule != "record.bom"):
            yield _first_line(damage, history.edits)
        else:
            yield skipped(damage, TITLE, history.tree, transcript)


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


class _Envelope(Envelope):
    """How a turn is written into a record."""

    id = "id"
    parent = "parentId"
    also = ("firstKeptEntryId",)

    def __init__(self, history: _History) -> None:
        self.history = history

    def changes(self, turn: Turn, role: str, values: Sequence[Any], origin: OriginOf) -> Iterator[Change]:
        uid, slot = turn.node.uid, turn.blocks[0].slot if turn.blocks else ("message", "content")
        if slot[-1] in ("message", "summary") and turn.role == role == "user":
            return  # words that pi makes of something else
        if turn.role != role:
            yield uid, ("message",), self._message(role, values, _message(turn.node.value), None)
        elif role == "result":
            was, raw = origin(values[0])
            known = raw if was is not None else self._message(role, values, _message(turn.node.value), None)
            yield uid, ("message",), dialect.result_of(values[0], was, known)
        elif slot[-1] == "content" and len(values) == 1 and isinstance(values[0], str):
            yield uid if not turn.blocks else turn.blocks[0].record, slot, values[0]
        else:
            at = slot if slot[-1] == "content" else slot[:-1]
            parts = [dialect.part_of(value, *origin(value)) for value in values]
            yield turn.blocks[0].record if turn.blocks else uid, at, parts

    def new_record(self, role: str, values: Sequence[Any], beside: Turn | None, id_: str, name: str | None) -> Any:
        near = beside.node.value if beside is not None and isinstance(beside.node.value, dict) else {}
        return {
            "type": "message",
            "id": id_,
            "parentId": None,
            "timestamp": near.get("timestamp", "1970-01-01T00:00:00.000Z"),
            "message": self._message(role, values, _message(near), name),
        }

    def _message(self, role: str, values: Sequence[Any], near: dict[str, Any], name: str | None) -> dict[str, Any]:
        time = {"timestamp": near.get("timestamp", 0)}
        if role == "result":
            named = {"role": dialect.RESULT, "toolCallId": None, "toolName": name or near.get("toolName") or "unknown"}
            return {**dialect.result_of(values[0], None, named), **time}
        content = [dialect.part_of(value, None, None) for value in values]
        if role != "assistant":
            return {"role": role, "content": content, **time}
        of_model = dict(zip(("provider", "api", "model"), _model(self.history.path), strict=True))
        return {"role": role, "content": content, **of_model, "usage": _NO_USAGE, "stopReason": "stop", **time}


class Pi:
    """The session file of pi. `profile` follows from the API that the session speaks."""

    id = "pi"
    title = TITLE
    containers = frozenset({"lines"})
    where = "~/.pi/agent/sessions/--<folder>--/<time>_<session id>.jsonl (or under $PI_CODING_AGENT_DIR)"

    def __init__(self, profile: str = "anthropic") -> None:
        self.profile = profile

    def sniff(self, values: Sequence[Any]) -> int:
        records = [value for value in values if isinstance(value, dict)]
        if any(record.get("type") in _NOT_SESSIONS or _is_openclaw(record) for record in records):
            return 0
        first = records[0] if records else {}
        if first.get("type") == "session" and isinstance(first.get("id"), str) and first.keys() & {"cwd", "version"}:
            return 96
        own = (_message(record).get("role") in _ROLES and "parentId" in record and "id" in record for record in records)
        return 94 if any(own) else 0

    def for_records(self, values: Sequence[Any]) -> Pi:
        """The same for sessions of the API that the last of these responses came from."""
        messages = (_message(value) for value in reversed(values))
        api = next((message.get("api") for message in messages if message.get("role") == "assistant"), None)
        return _of_profile(_PROFILES.get(api, "anthropic") if isinstance(api, str) else "anthropic")

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        return _read(items, view)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        history = _of(transcript)
        writer = TreeWriter(items, transcript, history.tree.nodes, history.path, history.turns, _Envelope(history))
        return writer.run(edits)

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        return list(_damage(_of(transcript), transcript, found))

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        return _sees(items, transcript)

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        return _on_resume(_of(transcript), problem, seen)

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

    def companions(self, items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterable[SubagentSession]:
        return ()


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
    """pi itself: `pi`, which goes on with any file that it is given."""

    id = "pi"
    title = TITLE
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

        for root in self.roots(machine):
            found = peek.entries(root)
            inside = (entry for folder in found if peek.is_folder(folder) for entry in peek.entries(folder.path))
            for entry in (*found, *inside):
                stat = peek.regular(entry) if entry.name.endswith(".jsonl") else None
                if stat is not None:
                    yield self.found(entry.path, entry.name[:-6].partition("_")[2] or entry.name[:-6], stat)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        named = re.sub(r"[/\\:]", "-", re.sub(r"\A[/\\]", "", folder))
        return os.path.basename(os.path.dirname(found.path)) == f"--{named}--"

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.source import peek

        start, words = peek.head(found.path), None
        for length in peek.TAILS:
            records = peek.records_backwards(peek.tail(found.path, length))
            words = next((said for record in records if (said := _user_words(Node(0, 0, 0, 0, record))[0])), None)
            if words is not None or length >= found.size:
                break
        return peek.folder_in(start), peek.one_line(words)

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.way_back import WayBack

        if file.path is None:
            return WayBack((), sentence="Start `pi --session` with the file.")
        return WayBack(("pi", "--session", os.path.abspath(file.path)), file.folder)

    def in_place(self, path: Path, session_id: str) -> bool:
        return True


AGENT: Final = PiAgent()
