"""What two sessions would send, compared by what the model reads: what is lost when one agent hands over to another."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

from msgspec import Struct

from toolpair.dialects.block_texts import arguments, arguments_in, is_real_output, text_of
from toolpair.history.conversation import Conversation
from toolpair.history.sent_rows import SeenRow, rows_sent, seen_rows
from toolpair.session.session import Session

Kind = Literal["output", "words", "answer", "call", "image"]
KINDS: Final[tuple[Kind, ...]] = ("output", "words", "answer", "call", "image")
_LONG: Final = 12
"""Characters from which a text that stands inside another one is no accident."""


class SentText(Struct, frozen=True):
    """One thing that the model reads. `message` counts as the request does, `line` is None for what an agent adds."""

    kind: Kind
    text: str
    id: str | None
    tool: str | None
    message: int | None
    line: int | None


class HandOver(Struct, frozen=True):
    """What only one of the two would send; `sent` counts what each sends, by kind."""

    only_a: Sequence[SentText]
    only_b: Sequence[SentText]
    sent_a: dict[Kind, int]
    sent_b: dict[Kind, int]
    branches_a: int
    branches_b: int

    @property
    def same(self) -> bool:
        return not self.only_a and not self.only_b


def handed_over(a: Session, b: Session) -> HandOver:
    """Compare what two sessions would send. Tool names, ids, and how texts are cut into blocks do not count."""
    ours, theirs = list(sent_by(a)), list(sent_by(b))
    return HandOver(
        missing(ours, theirs),
        missing(theirs, ours),
        {kind: sum(one.kind == kind for one in ours) for kind in KINDS},
        {kind: sum(one.kind == kind for one in theirs) for kind in KINDS},
        _branches(a),
        _branches(b),
    )


def _branches(session: Session) -> int:
    return sum(max(1, len(one.transcript.tree.branches)) for one in session.conversations)


def sent_by(session: Session, added: bool = False) -> Iterator[SentText]:
    """What the session's agent would send of it, as far as that is known; `added`: also what the agent adds, and
    placeholders.
    """
    for conversation in session.conversations:
        rows = ((row.message, row) for row in rows_sent(conversation) if row.message is not None)
        yield from _texts(conversation, (one for one in rows if added or one[1].fate != "added"), added)


def held_by(session: Session) -> Iterator[SentText]:
    """What the session has in the part that is resumed, sent or not. `message` counts its own messages."""
    for conversation in session.conversations:
        judged = conversation.judged
        numbers = {
            id(block): number for number, message in enumerate(judged.transcript.messages) for block in message.blocks
        }
        rows = seen_rows(judged)
        yield from _texts(conversation, ((numbers[id(row.block)], row) for row in rows if id(row.block) in numbers))


def _texts(
    conversation: Conversation, rows: Iterable[tuple[int | None, SeenRow]], placeholders: bool = False
) -> Iterator[SentText]:
    tools: dict[Any, str | None] = {}
    for message, row in rows:
        kind = _kind(row)
        text = _call(row) if kind == "call" else row.media if kind == "image" else row.text
        if kind is None or not text.strip():
            continue
        if kind == "output":
            text = _unwrapped(text)
        if kind == "output" and row.block is not None and not (placeholders or is_real_output(row.block)):
            continue  # a placeholder is nothing to lose
        name = row.block.name if row.block is not None else None
        if kind == "call":
            tools[row.id] = name
        line = conversation.document.line_of(row.block.record) if row.block is not None else None
        yield SentText(kind, " ".join(text.split()), row.id, name or tools.get(row.id), message, line)


def _kind(row: SeenRow) -> Kind | None:
    kind = row.block.kind if row.block is not None else row.type
    if kind == "result" or kind.endswith("_output"):  # of the Responses API
        return "output"
    if kind == "call" or kind.endswith("_call"):
        return "call"
    if kind in ("media", "image", "document"):
        return "image"
    if kind == "text":
        return "answer" if row.role in ("assistant", "model") else "words"
    return None


def _call(row: SeenRow) -> str:
    value = arguments(row.block) if row.block is not None else arguments_in(row.value)
    if isinstance(value, dict):  # some programs write what was not given as null
        value = {key: part for key, part in value.items() if part is not None}
    elif value == "":  # or as no text
        value = {}
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _unwrapped(text: str) -> str:
    """What text parts say that stand as JSON in an output: so they are sent where an API takes none."""
    if not text.startswith("[{"):
        return text
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text_of(parts) if all(isinstance(one, dict) and one.get("type") == "text" for one in parts) else text


def missing(ours: Sequence[SentText], theirs: Sequence[SentText]) -> list[SentText]:
    """What stands nowhere in what the other sends, as often as it is sent here."""
    there: dict[tuple[bool, str], int] = defaultdict(int)
    for one in theirs:
        there[one.kind == "call", one.text] += 1
    left: list[SentText] = []
    for one in ours:
        key = one.kind == "call", one.text
        if there[key]:
            there[key] -= 1
        else:
            left.append(one)
    if not left:
        return left
    # A text may be wrapped there; one that is there by itself, but not as often, is none of these.
    themselves = {one.text for one in theirs}
    whole = "\n".join(one.text for one in theirs if one.kind not in ("call", "image"))
    # Short ones may be joined there, with the text beside them or one like them; in outputs they stand by chance.
    said = {kind: "\n".join(one.text for one in theirs if one.kind == kind) for kind in ("words", "answer")}
    texts = [one for one in ours if one.kind in said]
    pairs = (*pairwise(texts), *zip(texts, texts, strict=True))
    joined = {
        id(one)
        for a, b in pairs
        if a.kind == b.kind and (f"{a.text} {b.text}" in said[a.kind] or f"{a.text}{b.text}" in said[a.kind])
        for one in (a, b)
    }
    return [
        one
        for one in left
        if one.kind in ("call", "image")
        or one.text in themselves
        or not (id(one) in joined or (len(one.text) >= _LONG and one.text in whole))
    ]
