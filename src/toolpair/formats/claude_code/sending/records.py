"""The first stage of a resume: which records the agent takes, and what it writes behind the last one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolpair.formats.claude_code.attachments import speaks
from toolpair.formats.claude_code.records import Node
from toolpair.formats.claude_code.sending.parts import (
    INTERRUPTED,
    NO_CONTENT,
    NO_RESPONSE,
    THINKING,
    Draft,
    Part,
    error_result,
    is_blank,
    key_of,
    text_part,
    words_of,
)
from toolpair.transcript.model import Block

Key = tuple[int, tuple[str | int, ...]]
_SLOT = ("message", "content")
_LAST = 1 << 62


def drafts_of(order: Iterable[Node], beside: set[int], blocks: Mapping[Key, Block]) -> list[Draft]:
    """A draft for each record of the history that holds a message."""
    drafts: list[Draft] = []
    told = told_ever = False
    get = blocks.get
    for node in order:
        role = node.type
        if role != "user" and role != "assistant":
            if speaks(node):
                told = told_ever = True
                if drafts and drafts[-1].role == "user":
                    drafts[-1].told = True
            elif is_local_command(node):
                part = Part(node.value["content"], Block("text", node.value["content"], node.uid, ("content",)))
                drafts.append(Draft("user", [part], whole=True, position=node.position))
            continue
        if node.api_error:
            continue
        content, uid = node.content, node.uid
        whole = isinstance(content, str)
        if whole:
            parts = [Part(content, get((uid, _SLOT)))]
        elif isinstance(content, list):
            parts = [
                Part(value, get((uid, ("message", "content", index))))
                for index, value in enumerate(content)
                if isinstance(value, dict)
            ]
            if not parts and (content or role == "user"):
                continue
        else:
            continue
        draft = Draft(role, parts, node.message_id, node.model, whole)
        draft.position = node.position
        draft.beside = uid in beside
        draft.told = told and role == "user"
        draft.told_before = told_ever
        drafts.append(draft)
        told = False
    return drafts


def is_local_command(node: Node) -> bool:
    """What a command of the user's said here: a record of the system that goes out as the user's words."""
    value = node.value
    return node.type == "system" and value.get("subtype") == "local_command" and isinstance(value.get("content"), str)


def taken(drafts: Sequence[Draft]) -> list[Draft]:
    """The records that are taken: open calls are answered at the end and left out elsewhere."""
    drafts = open_left_out(_answered_at_end(drafts), _turn_cut_short(drafts))
    drafts = [draft for draft in drafts if not _only_blank(draft)]
    drafts = _without_lone_thinking(_without_lone_placeholders(drafts))
    if drafts and drafts[-1].role == "user":
        drafts.append(Draft("assistant", [text_part(NO_RESPONSE)], made_up=True))
    return drafts


def open_left_out(drafts: Sequence[Draft], before: int | None = None) -> list[Draft]:
    """Without the records whose calls have no result, of those in front of the index `before`."""
    answered = _answered(drafts)
    before = len(drafts) if before is None else before
    return [draft for index, draft in enumerate(drafts) if index >= before or not _all_open(draft, answered)]


def _answered(drafts: Iterable[Draft]) -> set[Any]:
    """The keys of the ids that results name."""
    return {key_of(part.result_id) for draft in drafts for part in draft.parts if part.type == "tool_result"}


def _turn_cut_short(drafts: Sequence[Draft]) -> int:
    """Where the last turn begins, if it breaks off behind results: what is open in it stays. Else behind the end."""
    if not drafts or drafts[-1].role != "user" or not drafts[-1].answers:
        return len(drafts)
    for index in range(len(drafts) - 1, -1, -1):
        if drafts[index].role == "user" and not drafts[index].answers:
            return index + 1
    return 0


def _answered_at_end(drafts: Sequence[Draft]) -> list[Draft]:
    """Behind the calls of the last turn nothing but results: those without one get one that says so."""
    answered: set[Any] = set()
    start = len(drafts)
    while start and drafts[start - 1].role == "user" and drafts[start - 1].of_type("tool_result"):
        start -= 1
        answered.update(key_of(part.result_id) for part in drafts[start].of_type("tool_result"))
    first = start
    while (
        first
        and drafts[first - 1].role == "assistant"
        and (first == start or drafts[first - 1].message_id == drafts[start - 1].message_id)
    ):
        first -= 1
    open_calls = [
        part
        for draft in drafts[first:start]
        for part in draft.of_type("tool_use")
        if key_of(part.call_id) not in answered
    ]
    if not open_calls:
        return list(drafts)
    everywhere = _answered(drafts)
    open_calls = [part for part in open_calls if key_of(part.call_id) not in everywhere]
    added = [
        Draft("user", [error_result(part.call_id, INTERRUPTED)], made_up=True, position=_LAST) for part in open_calls
    ]
    return [*drafts, *added]


def _all_open(draft: Draft, answered: set[Any]) -> bool:
    """A record whose calls have no result anywhere is left out, with the words that it may hold beside them."""
    if draft.role != "assistant":
        return False
    calls = draft.of_type("tool_use")
    for part in calls:
        if key_of(part.call_id) in answered:
            return False
    return bool(calls)


def _only_blank(draft: Draft) -> bool:
    if draft.role != "assistant" or not draft.parts or draft.parts[0].type != "text":
        return False
    return all(is_blank(part) for part in draft.parts)


def _without_lone_placeholders(drafts: Sequence[Draft]) -> list[Draft]:
    """The agent knows its own placeholder for a response without words: where that is all, it leaves it out."""
    if not any(map(_is_placeholder, drafts)):
        return list(drafts)
    saying = {draft.message_id for draft in drafts if draft.role == "assistant" and not _is_placeholder(draft)}
    return [
        draft
        for draft in drafts
        if not _is_placeholder(draft) or (draft.message_id is not None and draft.message_id in saying)
    ]


def _is_placeholder(draft: Draft) -> bool:
    return draft.role == "assistant" and len(draft.parts) == 1 and words_of(draft.parts[0]) == NO_CONTENT


def _without_lone_thinking(drafts: Sequence[Draft]) -> list[Draft]:
    """A response of which only thinking is left is left out."""
    if not any(map(_only_thinks, drafts)):
        return list(drafts)
    speaking = {
        draft.message_id
        for draft in drafts
        if draft.role == "assistant" and any(part.type not in THINKING for part in draft.parts)
    }
    return [
        draft
        for draft in drafts
        if not _only_thinks(draft) or (draft.message_id is not None and draft.message_id in speaking)
    ]


def _only_thinks(draft: Draft) -> bool:
    if draft.role != "assistant":
        return False
    for part in draft.parts:
        if part.type not in THINKING:
            return False
    return bool(draft.parts)
