"""From records to messages: what belongs to one response, and what the agent puts first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from toolpair.formats.blocks import block_of, blocks_of
from toolpair.formats.claude_code.attachments import speaks
from toolpair.formats.claude_code.records import Node, text_or_none
from toolpair.transcript.model import Block, ContentShape, Message

_SLOT: Final = ("message", "content")


@dataclass(slots=True, eq=False)
class _Draft:
    """A message that is still being gathered."""

    role: str
    nodes: list[Node]
    blocks: list[tuple[Block, ...]]
    shape: ContentShape
    with_results: bool = False
    told: bool = False
    """The agent puts words of its own into it."""


def blocks_of_node(node: Node) -> tuple[tuple[Block, ...], ContentShape]:
    """The blocks of one record, with the links that the agent wrote beside the ids."""
    content = node.content
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
    open_responses: dict[str, _Draft] = {}
    told = False
    for node in order:
        if not node.sent:
            if speaks(node):
                told = True
                if drafts and drafts[-1].role == "user":
                    drafts[-1].told = True
            continue
        blocks, shape = blocks_of_node(node)
        last = drafts[-1] if drafts else None
        if node.type == "assistant":
            key = node.message_id
            draft = open_responses.get(key) if key is not None else None
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
            if node.type == "assistant" and key is not None:
                open_responses[key] = draft
        draft.told = draft.told or told
        told = False
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
    if draft.role == "user" and (len(parts) > 1 or draft.told):
        # Of several parts the agent puts the results first; what one record holds by itself goes out as it stands.
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
