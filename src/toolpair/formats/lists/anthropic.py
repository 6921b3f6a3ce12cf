"""Anthropic messages: results are blocks of the next user message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.dialects.anthropic import message_of
from toolpair.formats.engine.detection.list_evidence import ANTHROPIC, evidence_of, is_foreign
from toolpair.formats.format import AS_RESUMED, Item, View
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Message, Scope, Transcript


def sniff(values: Sequence[Any]) -> int:
    evidence = evidence_of(values)
    if evidence.by:
        return 90 if evidence.sure == ANTHROPIC else 0
    if evidence.shape() is None:
        return 0
    return 45 if evidence.listed else 20


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    messages: list[Message] = []
    scopes: dict[int, Scope] = {}
    for item in items:
        if is_foreign(item.value):
            continue  # left alone
        message = message_of(item.value, item.uid)
        if message is None:
            scopes[item.uid] = "malformed"
        else:
            messages.append(message)
    return Transcript(tuple(messages), scopes=scopes)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    from toolpair.dialects.anthropic_writer import WRITER
    from toolpair.formats.engine.writing.linear import Linear

    return Linear(items, transcript, WRITER).run(edits)
