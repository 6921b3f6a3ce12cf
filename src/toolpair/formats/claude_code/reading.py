"""From the active history to the messages that the agent would send."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolpair.formats.base import AS_RESUMED, Item, View
from toolpair.formats.blocks import block_of, blocks_of
from toolpair.formats.claude_code.copies import copies_of
from toolpair.formats.claude_code.history import (
    History,
    Walk,
    gather,
    history_of,
    may_be_parent,
    starts_afresh,
    walk_up,
)
from toolpair.formats.claude_code.records import (
    SYNTHETIC_MODEL,
    Node,
    content_of,
    has_result,
    is_sent,
    message_id,
    model_of,
    text_or_none,
)
from toolpair.formats.claude_code.relink import parent_for
from toolpair.transcript.model import Block, Boundary, ContentShape, Damaged, Message, Scope, Transcript

AGENT: Final = "Claude Code"
SUB_AGENT: Final = "Claude Code sub-agent"
"""Its file is never resumed by itself, and what is broken in it is never healed."""

_SLOT: Final = ("message", "content")


@dataclass(slots=True, eq=False)
class _Draft:
    """A message that is still being gathered."""

    role: str
    nodes: list[Node]
    blocks: list[tuple[Block, ...]]
    shape: ContentShape
    with_results: bool = False


@dataclass(slots=True)
class _Facts:
    version: str | None = None
    session_id: str | None = None
    folder: str | None = None
    model: str | None = None
    thinking: bool | None = None
    damaged: list[int] = field(default_factory=list)


def read_transcript(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    history = history_of(items)
    return transcript_of(items, history)


def transcript_of(items: Sequence[Item], history: History) -> Transcript:
    messages = assemble(history.order, history.recovered)
    facts = _facts(items, history.sidechain)
    scopes = _scopes(history, facts.damaged)
    inactive = tuple(_inactive_blocks(history, scopes))
    return Transcript(
        messages=tuple(messages),
        merged=True,
        native=True,
        agent=SUB_AGENT if history.sidechain else AGENT,
        agent_version=facts.version,
        session_id=facts.session_id,
        folder=facts.folder,
        model=facts.model,
        thinking=facts.thinking,
        scopes=scopes,
        inactive_calls=sum(block.kind == "call" for block in inactive),
        inactive_blocks=inactive,
        boundaries=tuple(_boundaries(history, len(messages))),
        copies=copies_of(items),
    )


def blocks_of_node(node: Node) -> tuple[tuple[Block, ...], ContentShape]:
    """The blocks of one record, with the links that the agent wrote beside the ids."""
    content = content_of(node.value)
    if not isinstance(content, list):
        return blocks_of(content, node.uid, _SLOT)
    result_link = text_or_none(node.value.get("sourceToolAssistantUUID")) or node.parent
    links: dict[Any, str | None] = {"tool_use": node.uuid, "tool_result": result_link}
    found = []
    for index, value in enumerate(content):
        kind = value.get("type") if isinstance(value, dict) else None
        link = links.get(kind) if isinstance(kind, str) else None
        found.append(block_of(value, node.uid, (*_SLOT, index), link))
    return tuple(found), "blocks"


def assemble(order: Iterable[Node], recovered: set[int]) -> list[Message]:
    """Messages of the records: one for each response by its message id, neighbouring user records as one."""
    drafts: list[_Draft] = []
    # Responses since the last user words, by message id: only among these does the agent look for more of one.
    open_responses: dict[str | None, _Draft] = {}
    for node in order:
        if not is_sent(node):
            continue
        blocks, shape = blocks_of_node(node)
        last = drafts[-1] if drafts else None
        if node.type == "assistant":
            key = message_id(node.value)
            draft = open_responses.get(key)
        else:
            key = None
            draft = last if last is not None and last.role == "user" else None
        if draft is not None:
            draft.nodes.append(node)
            draft.blocks.append(blocks)
            draft.shape = "blocks"
        else:
            draft = _Draft(node.type, [node], [blocks], shape)
            drafts.append(draft)
            if node.type == "assistant":
                open_responses[key] = draft
        if node.type == "user":
            draft.with_results = draft.with_results or any(block.kind == "result" for block in blocks)
            if not draft.with_results:
                open_responses = {}
    return [_message(draft, recovered) for draft in drafts]


def _message(draft: _Draft, recovered: set[int]) -> Message:
    parts = list(zip(draft.nodes, draft.blocks, strict=True))
    if draft.role == "user" and len(parts) > 1:
        answers = [part for part in parts if any(block.kind == "result" for block in part[1])]
        if any(node.uid in recovered for node, _ in answers):
            answers.sort(key=lambda part: part[0].position)
        parts = [*answers, *(part for part in parts if not any(block.kind == "result" for block in part[1]))]
    elif draft.role == "assistant" and len(parts) > 1:
        # It moves calls behind the words of their response.
        words = [part for part in parts if part[1] and all(block.kind == "text" for block in part[1])]
        calls = [index for index, part in enumerate(parts) if any(block.kind == "call" for block in part[1])]
        if calls and words and parts.index(words[-1]) > calls[0]:
            late = [part for index, part in enumerate(parts) if index > calls[0] and part in words]
            rest = [part for part in parts[calls[0] :] if part not in late]
            parts = [*parts[: calls[0]], *late, *rest]
    blocks = [block for _, found in parts for block in found]
    if draft.role == "user" and len(parts) > 1:
        # Of several records the agent puts the results first; what one record holds goes out as it stands.
        blocks.sort(key=lambda block: block.kind != "result")
    values = [node.value for node, _ in parts]
    note = None
    if any(value.get("isCompactSummary") is True for value in values):
        note = "summary"
    elif all(value.get("isMeta") is True for value in values):
        note = "meta"
    return Message(
        role=draft.role,
        blocks=tuple(blocks),
        records=tuple(node.uid for node, _ in parts),
        shape=draft.shape,
        value=values[0].get("message") if len(values) == 1 else None,
        note=note,
    )


def _facts(items: Sequence[Item], sidechain: bool) -> _Facts:
    facts = _Facts()
    for item in items:
        value = item.value
        if isinstance(value, Damaged):
            facts.damaged.append(item.uid)
            continue
        if not isinstance(value, dict):
            continue
        facts.version = text_or_none(value.get("version")) or facts.version
        facts.session_id = text_or_none(value.get("sessionId")) or facts.session_id
        # The session lies under the folder that it was begun in; later commands may have changed the folder.
        facts.folder = facts.folder or text_or_none(value.get("cwd"))
        if value.get("type") == "assistant" and (sidechain or value.get("isSidechain") is not True):
            model = model_of(value)
            if model is not None and model != SYNTHETIC_MODEL:
                facts.model = model
        elif value.get("type") == "api-request":
            parameters = value.get("params")
            if isinstance(parameters, dict):
                thinking = parameters.get("thinking")
                facts.thinking = isinstance(thinking, dict) and thinking.get("type") != "disabled"
    return facts


def _scopes(history: History, damaged: Iterable[int]) -> Mapping[int, Scope]:
    """Of the records that are not active: damaged ones, and chain records that lead nowhere."""
    scopes: dict[int, Scope] = dict.fromkeys(damaged, "malformed")
    active = {node.uid for node in history.chain} | {node.uid for node in history.order}
    quiet = {"attachment", "system", "progress"}
    for node in history.nodes:
        if node.uid in active:
            continue
        above = history.by_uuid.get(history.parent_of(node) or "")
        # What hangs beside an active record, such as the report of a hook, goes with it.
        if node.type in quiet and above is not None and history.main(node) and above.uid not in scopes:
            continue
        scopes[node.uid] = "inactive"
    for node in history.shadowed:
        scopes.setdefault(node.uid, "inactive")
    return scopes


def _inactive_blocks(history: History, scopes: Mapping[int, Scope]) -> Iterable[Block]:
    for node in history.nodes:
        if node.type in ("user", "assistant") and scopes.get(node.uid) == "inactive":
            blocks, _ = blocks_of_node(node)
            yield from (block for block in blocks if block.kind in ("call", "result"))


def _boundaries(history: History, count: int) -> Iterable[Boundary]:
    if not history.chain:
        return
    root = history.chain[0]
    if history.boundary is not None:
        yield Boundary(0, "compaction", "replaced by a summary (normal)", root.uid)
    elif history.end in ("missing", "cycle") or not starts_afresh(history.chain):
        messages, outputs = _lost(history, root, {node.uid for node in history.order})
        if messages:
            text = f"The agent forgets all above: {_counted(messages, outputs)}. Link lost"
            yield _cut(history, 0, text, root, messages, outputs, history.end)
    if history.last is not None:
        yield from _cut_below(history, history.last, count)


def _cut_below(history: History, last: Walk, count: int) -> Iterable[Boundary]:
    """What stands behind a break is lost when the last prompt names a record in front of it."""
    root = last.path[-1]
    active = {node.uid for node in history.order}
    if any(node.uid in active for node in last.path) or last.end == "boundary":
        return
    if last.end == "null" and starts_afresh(last.path[::-1]):
        return
    scratch = set(history.recovered)
    order = gather(history, [node for node in reversed(last.path) if node.type != "progress"])
    history.recovered = scratch
    lost = assemble((node for node in order if node.uid not in active), set())
    if lost:
        text = f"The agent does not see what follows: {_counted(len(lost), _outputs(lost))}. Link lost"
        yield _cut(history, count, text, root, len(lost), _outputs(lost), last.end)


_CHAIN_RULES: Final = {"missing": "chain.missing_parent", "cycle": "chain.cycle"}


def _cut(history: History, at: int, text: str, root: Node, messages: int, outputs: int, end: str) -> Boundary:
    """A lost link, with the nearest record before it that it may be mended to.

    A user's prompt without a parent is what rewinding to the very beginning leaves, too: whether history
    was lost there only a person can tell.
    """
    above = parent_for(history, root.uid)
    rewound = end == "null" and root.type == "user" and not has_result(root.value)
    return Boundary(
        at,
        "cut",
        text,
        root.uid,
        messages,
        outputs,
        "chain.second_root" if rewound else _CHAIN_RULES.get(end, "chain.null_parent"),
        above.uuid if above is not None else None,
    )


def _lost(history: History, root: Node, active: set[int]) -> tuple[int, int]:
    """How many messages and outputs stand above a break, as far as the file can tell."""
    seen = set(active)
    path: list[Node] = []
    limit = root
    bridged = dict(history.bridged)
    for start in reversed(history.nodes):
        if start.position >= limit.position or not may_be_parent(history, start, seen):
            continue
        walk = walk_up(history, start, seen)
        path.extend(walk.path)
        limit = walk.path[-1]
        if walk.end == "boundary" or (walk.end == "null" and starts_afresh(walk.path[::-1])):
            break
    history.bridged = bridged
    recovered = set(history.recovered)
    chain = [node for node in reversed(path) if node.type != "progress"]
    messages = assemble((node for node in gather(history, chain) if node.uid not in active), set())
    history.recovered = recovered
    return len(messages), _outputs(messages)


def _outputs(messages: Iterable[Message]) -> int:
    return sum(len(message.results) for message in messages)


def _counted(messages: int, outputs: int) -> str:
    one, other = "message" if messages == 1 else "messages", "output" if outputs == 1 else "outputs"
    return f"{messages:,} {one}, {outputs:,} {other}"
