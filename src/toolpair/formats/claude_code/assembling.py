"""From records to messages: grouping by response, and the order that the agent gives to blocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from toolpair.dialects.anthropic import block_of, blocks_of, message_as_result
from toolpair.formats.claude_code.record_kinds import ChainNode, speaks, text_or_none
from toolpair.transcript.model import Block, ContentShape, Message

_SLOT: Final = ("message", "content")
_ROLES: Final = ("user", "assistant")


class _Draft(Struct, eq=False):
    """A message that is still being collected."""

    role: str
    nodes: list[ChainNode]
    blocks: list[tuple[Block, ...]]
    shape: ContentShape
    with_results: bool = False
    noted: bool = False
    """The agent adds its own text to the message."""


def blocks_of_node(node: ChainNode) -> tuple[tuple[Block, ...], ContentShape]:
    """The blocks of one record, with the links that the agent wrote in addition to the ids."""
    content = node.content
    message = node.value.get("message")
    if isinstance(message, dict) and message.get("role") not in _ROLES:
        whole = message_as_result(message, node.uid, _SLOT[:1])
        if whole is not None:
            return (whole,), "blocks"
    if not isinstance(content, list):
        return blocks_of(content, node.uid, _SLOT)
    result_link = None
    if node.results:
        result_link = text_or_none(node.value.get("sourceToolAssistantUUID")) or node.parent
    found = []
    for index, value in enumerate(content):
        link = None
        if isinstance(value, dict):
            kind = value.get("type")
            if kind == "tool_use":
                link = node.uuid
            elif kind == "tool_result":
                link = result_link
        found.append(block_of(value, node.uid, (*_SLOT, index), link))
    return tuple(found), "blocks"


def assemble(order: Iterable[ChainNode]) -> list[Message]:
    """The messages of the records: one per response by its message id; consecutive user records are one."""
    drafts: list[_Draft] = []
    # Responses since the last user text, by message id: the agent looks for further parts only among these.
    open_responses: dict[str, _Draft] = {}
    noted = False
    last: _Draft | None = None
    for node in order:
        if not node.sent:
            if speaks(node):
                noted = True
                if last is not None and last.role == "user":
                    last.noted = True
            continue
        blocks, shape = blocks_of_node(node)
        role = node.type
        key = None
        if role == "assistant":
            key = node.message_id
            draft = open_responses.get(key) if key is not None else None
        else:
            draft = last if last is not None and last.role == "user" else None
        if draft is not None:
            draft.nodes.append(node)
            draft.blocks.append(blocks)
            draft.shape = "blocks"
        else:
            draft = last = _Draft(role, [node], [blocks], shape)
            drafts.append(draft)
            if key is not None:
                open_responses[key] = draft
        if noted:
            draft.noted = True
            noted = False
        if role == "user":
            # A node's results are those of its content, so there is no need to check its blocks.
            if node.results:
                draft.with_results = True
            if not draft.with_results:
                open_responses = {}
    return [
        _message_of_one(draft) if len(draft.nodes) == 1 and not draft.noted else _message(draft) for draft in drafts
    ]


def _message_of_one(draft: _Draft) -> Message:
    """The common case: a message of one record, from which nothing is moved."""
    node = draft.nodes[0]
    value = node.value
    note = None
    if value.get("isCompactSummary") is True:
        note = "summary"
    elif value.get("isMeta") is True:
        note = "meta"
    return Message(draft.role, draft.blocks[0], (node.uid,), draft.shape, value.get("message"), note)


def _message(draft: _Draft) -> Message:
    parts = list(zip(draft.nodes, draft.blocks, strict=True))
    if draft.role == "user" and len(parts) > 1:
        answering = ["result" in [block.kind for block in found] for _, found in parts]
        answers = [part for part, answer in zip(parts, answering, strict=True) if answer]
        others = [part for part, answer in zip(parts, answering, strict=True) if not answer]
        parts = [*answers, *others]
    elif draft.role == "assistant" and len(parts) > 1:
        # It moves calls after the text of their response.
        kinds = [[block.kind for block in found] for _, found in parts]
        first = next((index for index, found in enumerate(kinds) if "call" in found), len(kinds))
        words = [bool(found) and found.count("text") == len(found) for found in kinds]
        if True in words[first:]:
            following = list(zip(parts, words, strict=True))[first:]
            late = [part for part, speaks in following if speaks]
            rest = [part for part, speaks in following if not speaks]
            parts = [*parts[:first], *late, *rest]
    blocks = [block for _, found in parts for block in found]
    if draft.role == "user" and (len(parts) > 1 or draft.noted):
        # With several parts the agent puts results first; the content of a single record is sent as it is.
        blocks.sort(key=lambda block: block.kind != "result")
    values = [node.value for node, _ in parts]
    note = None
    if True in [value.get("isCompactSummary") is True for value in values]:
        note = "summary"
    elif False not in [value.get("isMeta") is True for value in values]:
        note = "meta"
    return Message(
        role=draft.role,
        blocks=tuple(blocks),
        records=tuple([node.uid for node, _ in parts]),
        shape=draft.shape,
        value=values[0].get("message") if len(values) == 1 else None,
        note=note,
    )
