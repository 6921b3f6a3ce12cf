"""Lists of OpenAI chat messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.dialects.openai_chat import message_of, waiting_in
from toolpair.formats.engine.detection.list_evidence import CHAT, evidence_of, is_foreign
from toolpair.formats.format import AS_RESUMED, Item, View
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Message, Scope, Transcript


def sniff(values: Sequence[Any]) -> int:
    evidence = evidence_of(values)
    if evidence.by:
        return 92 if evidence.sure == CHAT else 0
    if evidence.shape() is None:
        return 0
    return 30 if evidence.listed else 40


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    messages: list[Message] = []
    scopes: dict[int, Scope] = {}
    waiting = waiting_in([item.value for item in items])
    for item in items:
        if is_foreign(item.value):
            continue  # left alone
        message = message_of(item.value, item.uid, waiting)
        if message is None:
            scopes[item.uid] = "malformed"
        else:
            messages.append(message)
    return Transcript(tuple(messages), layout="tool_messages", scopes=scopes)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    from toolpair.dialects.openai_chat_writer import WRITER
    from toolpair.formats.lists.writing import ListEdits

    return ListEdits(items, transcript, WRITER).run(edits)
