"""Which records of a history the agent takes into the request, and what it adds after the last one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.block_texts import WrittenBlock
from toolpair.formats.claude_code.record_kinds import ChainNode, speaks
from toolpair.formats.claude_code.sending.parts import (
    INTERRUPTED,
    NO_CONTENT,
    NO_RESPONSE,
    THINKING,
    Draft,
    RequestPart,
    error_result,
    is_blank,
    key_of,
    text_part,
    words_of,
)
from toolpair.transcript.model import Block, Slot

Key = tuple[int, Slot]
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


def taken(drafts: Sequence[Draft]) -> list[Draft]:
    """The records that are sent: open calls of an unfinished last turn get an answer, other open calls are left out."""
    drafts = _in_one_piece(drafts)
    answered = _answered(drafts)
    interrupted = _interrupted(drafts, answered)
    begin = _turn_begin(drafts) if _breaks_off(drafts, answered) else len(drafts)
    waiting = {id(draft) for draft, _ in interrupted}
    kept = [
        draft
        for index, draft in enumerate(drafts)
        if index >= begin or id(draft) in waiting or not _all_open(draft, answered)
    ]
    kept += [Draft("user", [error_result(part.call_id, INTERRUPTED)], made_up=True) for _, part in interrupted]
    kept = _without_empty_responses([draft for draft in kept if not _only_blank(draft)])
    told = [draft for draft in kept if not draft.command and draft.role != "system"]
    closed = bool(told) and told[-1].error
    kept = [draft for draft in kept if draft.role not in _NOTES and not draft.error]
    last = next((index for index in range(len(kept) - 1, -1, -1) if not kept[index].command), None)
    if last is not None and not closed and kept[last].role == "user" and not _only_ran_command(kept[: last + 1]):
        kept.insert(last + 1, Draft("assistant", [text_part(NO_RESPONSE)], made_up=True))
    return kept


_NOTES: Final = ("attachment", "system")


def _in_one_piece(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts in order, with the part of a response after a note moved up to the rest of it."""
    found: list[Draft] = []
    last_of: dict[str, tuple[Draft, int]] = {}
    notes = 0
    for draft in drafts:
        if draft.role in _NOTES:
            notes += 1
        elif draft.role == "user" and not draft.answers:
            last_of = {}
        elif draft.role == "assistant" and draft.message_id is not None:
            before, then = last_of.get(draft.message_id, (None, notes))
            last_of[draft.message_id] = draft, notes
            if before is not None and notes > then:
                found.insert(next(at for at in range(len(found) - 1, -1, -1) if found[at] is before) + 1, draft)
                continue
        found.append(draft)
    return found


_CAVEAT: Final = "<local-command-caveat>"
_COMMAND: Final = "<command-name>"
_PRINTED: Final = ("<local-command-stdout>", "<local-command-stderr>")


def _only_ran_command(drafts: Sequence[Draft]) -> bool:
    """Whether the user's last action was a command of the agent's own, such as /exit, which needs no answer.

    Such a command is a caveat for the model, the command, and its output.
    """
    told = iter(reversed(drafts))
    draft = next(told, None)
    while draft is not None and _last_words(draft).startswith(_PRINTED):
        draft = next(told, None)
    if draft is not None and _last_words(draft).startswith(_COMMAND):
        draft = next(told, None)
    return draft is not None and draft.meta and _last_words(draft).startswith(_CAVEAT)


def _last_words(draft: Draft) -> str:
    return (words_of(draft.parts[-1]) or "") if draft.role == "user" and draft.parts else ""


def open_left_out(drafts: Sequence[Draft]) -> list[Draft]:
    """The records, without those whose calls have no result."""
    answered = _answered(drafts)
    return [draft for draft in drafts if not _all_open(draft, answered)]


def _answered(drafts: Iterable[Draft]) -> set[Any]:
    """The keys of the ids that results name."""
    return {key_of(part.result_id) for draft in drafts for part in draft.parts if part.type == "tool_result"}


def _turn_begin(drafts: Sequence[Draft]) -> int:
    """The index where the last turn starts: after the last user message."""
    for index in range(len(drafts) - 1, -1, -1):
        draft = drafts[index]
        if draft.role == "user" and not draft.answers and not draft.command:
            return index + 1
    return 0


def breaks_off(drafts: Sequence[Draft]) -> bool | None:
    """Whether the last turn ends with results or attachments, so that its open calls stay.

    None when none of these drafts is of a kind that counts.
    """
    drafts = _in_one_piece(drafts)
    return _breaks_off(drafts, _answered(drafts))


def _breaks_off(drafts: Sequence[Draft], answered: set[Any]) -> bool | None:
    """As `breaks_off`. Records that may be left out, and commands, do not count."""
    attached = False
    for draft in reversed(drafts):
        if draft.command or draft.role == "system" or _may_go(draft, answered):
            continue
        if draft.role != "attachment":
            return draft.role == "user" and (attached or draft.answers)
        attached = True
    return None


def _may_go(draft: Draft, answered: set[Any]) -> bool:
    if draft.role != "assistant" or draft.error:
        return False
    return _all_open(draft, answered) or _says_nothing(draft) or _only_blank(draft)


def _interrupted(drafts: Sequence[Draft], answered: set[Any]) -> list[tuple[Draft, RequestPart]]:
    """The open calls of the last response, if no text follows it."""
    turn = drafts[_turn_begin(drafts) :]
    if any(draft.error for draft in [draft for draft in drafts if draft.role != "system"][-1:]):
        return []
    said = [draft for draft in turn if draft.role == "assistant" and not _only_blank(draft)]
    responses: dict[Any, list[Draft]] = {}
    for draft in _without_empty_responses(said):
        responses.setdefault(draft.message_id or id(draft), []).append(draft)
    last = list(responses.values())[-1] if responses else []
    return [
        (draft, part) for draft in last for part in draft.of_type("tool_use") if key_of(part.call_id) not in answered
    ]


def _all_open(draft: Draft, answered: set[Any]) -> bool:
    """Whether none of the record's calls has a result anywhere; such a record is left out, with any text in it."""
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


def _without_empty_responses(drafts: Sequence[Draft]) -> list[Draft]:
    """Leave out responses with nothing but thinking and the agent's own note that they are empty."""
    if not any(map(_says_nothing, drafts)):
        return list(drafts)
    saying = {draft.message_id for draft in drafts if draft.role == "assistant" and not _says_nothing(draft)}
    return [
        draft
        for draft in drafts
        if not _says_nothing(draft) or (draft.message_id is not None and draft.message_id in saying)
    ]


def _says_nothing(draft: Draft) -> bool:
    return draft.role == "assistant" and (_is_placeholder(draft) or _only_thinks(draft))


def _is_placeholder(draft: Draft) -> bool:
    return len(draft.parts) == 1 and words_of(draft.parts[0]) == NO_CONTENT


def _only_thinks(draft: Draft) -> bool:
    for part in draft.parts:
        if part.type not in THINKING:
            return False
    return bool(draft.parts)
