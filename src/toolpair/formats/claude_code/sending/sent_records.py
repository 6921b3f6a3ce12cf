"""The first stage of a resume: the records of the history as drafts of messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolpair.dialects.block_texts import WrittenBlock
from toolpair.formats.claude_code.attachments import speaks
from toolpair.formats.claude_code.record_kinds import ChainNode
from toolpair.formats.claude_code.sending.parts import Draft, RequestPart
from toolpair.transcript.model import Block

Key = tuple[int, tuple[str | int, ...]]
_SLOT = ("message", "content")


def drafts_of(
    order: Iterable[ChainNode], beside: set[int], blocks: Mapping[Key, Block], *, reports: bool = False
) -> list[Draft]:
    """A draft for each record of the history that holds a message, and for the agent's notes between them.

    `reports`: what a background task reports is sent as no word of the user's.
    """
    drafts: list[Draft] = []
    noted = noted_ever = False
    get = blocks.get
    for node in order:
        role = node.type
        if role != "user" and role != "assistant":
            if speaks(node):
                noted = noted_ever = True
                if drafts and drafts[-1].role == "user":
                    drafts[-1].noted = True
            if is_local_command(node):
                part = RequestPart(
                    node.value["content"], WrittenBlock("text", node.value["content"], node.uid, ("content",))
                )
                drafts.append(Draft("user", [part], whole=True, command=True))
            elif role != "progress":
                drafts.append(Draft(role, []))
            continue
        if node.api_error:
            drafts.append(Draft(role, [], error=True))
            continue
        content, uid = node.content, node.uid
        whole = isinstance(content, str)
        if whole:
            parts = [RequestPart(content, get((uid, _SLOT)))]
        elif isinstance(content, list):
            parts = [
                RequestPart(value, get((uid, ("message", "content", index))))
                for index, value in enumerate(content)
                if isinstance(value, dict) and (value.get("type") != "text" or isinstance(value.get("text"), str))
            ]
            if not parts and (content or role == "user"):
                continue
        else:
            continue
        if reports and role == "user" and "origin" in node.value:
            from toolpair.formats.claude_code.sending.task_reports import as_reported

            parts = as_reported(parts, node.value)
        draft = Draft(role, parts, node.message_id, node.model, whole)
        draft.meta = node.value.get("isMeta") is True
        draft.beside = uid in beside
        draft.noted = noted and role == "user"
        draft.noted_before = noted_ever
        drafts.append(draft)
        noted = False
    return drafts


def is_local_command(node: ChainNode) -> bool:
    """Whether it is the output of a local command that the user ran: a system record sent as a user message."""
    value = node.value
    return node.type == "system" and value.get("subtype") == "local_command" and isinstance(value.get("content"), str)
