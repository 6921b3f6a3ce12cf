"""A model of what Claude Code sends when it resumes a file: which records it uses, leaves out and makes up.

As measured on the versions in versions.py. The model uses only the order of the records, and not toolpair's own pairing
of calls and results. What the agent adds to every request (reminders about tools, date, tokens) is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.claude_code.frames import ChainFrame
from toolpair.formats.claude_code.history import ChainHistory, history_of
from toolpair.formats.claude_code.reading import AGENT, cached_history
from toolpair.formats.claude_code.record_kinds import SYNTHETIC_MODEL, without_time
from toolpair.formats.claude_code.sending.messages import as_sent, calls_last, merged, paired, renamed, without_empty
from toolpair.formats.claude_code.sending.parts import NO_CONTENT, NO_RESPONSE, Draft, key_of, text_part, words_of
from toolpair.formats.claude_code.sending.taking import breaks_off, drafts_of, open_left_out, taken
from toolpair.formats.claude_code.versions import resumed_by
from toolpair.formats.format import Fate, Item, SentMessage, SentPart, SentRequest
from toolpair.transcript.model import Transcript


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
    """What the agent would send; None for a sub-agent's file, which is never resumed."""
    if transcript.agent != AGENT:
        return None
    history = cached_history(transcript, items)
    blocks = {(block.record, block.slot): block for message in transcript.messages for block in message.blocks}
    blocks.update(((block.record, block.slot), block) for block in transcript.inactive_blocks)
    if isinstance(transcript.frame, ChainFrame):
        blocks.update(transcript.frame.blocks)
    version = history.resumed_by
    drafts = drafts_of(history.order, history.recovered, blocks, reports=version.heals)
    messages = _messages_of(drafts, transcript.model) if version.heals else _unhealed(drafts)
    sent = tuple(
        SentMessage(message.role, tuple([SentPart(as_sent(part), part.block) for part in message.parts]))
        for message in messages
    )
    asked = resumed_by(transcript)
    return SentRequest(
        AGENT,
        version.version,
        sent,
        _fates(transcript, sent),
        _refusal(history),
        asked=asked if asked != version.version else None,
    )


def ends_open(items: Sequence[Item]) -> bool | None:
    """Whether the last turn of a file is unfinished, given its last records; None when these do not show it."""
    history = history_of(items)
    return breaks_off(drafts_of(history.order, history.recovered, {}))


def _unhealed(drafts: Sequence[Draft]) -> list[Draft]:
    """The messages of version 2.1.1: open calls are left out, everything else is sent as it is in the chain.

    Each has its results first. Results off the chain are not searched for.
    """
    taken = [draft for draft in drafts if draft.parts and not draft.beside and not draft.command]
    messages = merged(open_left_out(taken))
    if messages and messages[-1].role == "user":
        messages.append(Draft("assistant", [text_part(NO_RESPONSE)], made_up=True))
    for message in messages:
        if message.role == "user":
            message.parts.sort(key=lambda part: part.type != "tool_result")
    return messages


def _messages_of(drafts: list[Draft], model: str | None) -> list[Draft]:
    messages = merged(_thinking_of(taken(drafts), model))
    for message in messages:
        calls_last(message)
        renamed(message)
    sent = without_empty(paired(messages))
    # The user's next text joins the last user message, so the agent adds none of its own there.
    if sent and sent[-1].role == "user" and all(words_of(part) == NO_CONTENT for part in sent[-1].parts):
        del sent[-1]
    return sent


def _thinking_of(drafts: list[Draft], model: str | None) -> list[Draft]:
    """Leave out signed thinking of any model other than `model`, which resumes."""
    for draft in drafts:
        if draft.role == "assistant" and draft.model not in (model, SYNTHETIC_MODEL, None):
            kept = [
                part
                for part in draft.parts
                if not (part.type == "redacted_thinking" or (part.type == "thinking" and part.value.get("signature")))
            ]
            draft.emptied = bool(draft.parts) and not kept
            draft.parts = kept
    return [draft for draft in drafts if not draft.emptied]


def _fates(transcript: Transcript, sent: Sequence[SentMessage]) -> dict[int, Fate]:
    fates: dict[int, Fate] = {}
    answered: set[Any] = set()
    for request in sent:
        for part in request.parts:
            origin = part.block
            if origin is not None:
                fates[id(origin)] = "sent" if part.value is origin.value else "changed"
            elif isinstance(part.value, dict) and part.value.get("type") == "tool_result":
                answered.add(key_of(part.value["tool_use_id"]))
    fate: dict[int, Fate] = {}
    for message in transcript.messages:
        for block in message.blocks:
            kind = block.kind
            if kind == "call" or kind == "result":
                known = fates.get(id(block))
                if known is None:
                    known = "replaced" if kind == "result" and key_of(block.id) in answered else "dropped"
                fate[id(block)] = known
            elif kind == "text" and not block.text.strip():
                fate[id(block)] = fates.get(id(block), "dropped")
    return fate


def _refusal(history: ChainHistory) -> str | None:
    """Why the agent does not find the session, as a sentence; None if it does."""
    talk = (node.sidechain for node in history.nodes if node.type in ("user", "assistant"))
    if next(talk, False) and all(talk):
        return "Claude Code does not find this session: every line in it belongs to a sub-agent."
    if not history.chain:
        return "Claude Code does not find this session: nobody says anything in it."
    if not history.main(history.chain[-1]):
        return "Claude Code does not find this session: its last-prompt line names a line of a sub-agent."
    last = next((node for node in reversed(history.chain) if node.type in ("user", "assistant")), None)
    if last is not None and last.seconds is None and history.resumed_by.needs_time:
        return f"Claude Code does not find this session: its last line {without_time(last)}."
    return None
