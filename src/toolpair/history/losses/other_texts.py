"""Texts in places without a defined meaning: in a block of another kind, in an unknown field."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cached_property
from typing import Any, Final

from toolpair.dialects.besides import OF_MESSAGE, KnownText, said_by_block, said_by_message
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.losses.kept_texts import well_formed
from toolpair.history.losses.loss import Loss
from toolpair.transcript.model import Block, Damaged

_MOST_SOUGHT: Final = 200
"""At most this many texts are searched for inside others."""


def other_texts(before: CheckedRecords, after: CheckedRecords, kept: Callable[[str], bool]) -> Iterator[Loss]:
    """Such texts of `before` that are nowhere in `after`. What both share is not read."""
    old = list(_things(before))
    same = _same_records(before, after)
    changed = [found for found in old if found[0] not in same]
    new = list(_things(after)) if changed else []
    there = {said.piece for _, _, said in new}
    gone = [found for found in changed if found[2].piece not in there]
    yield from _assistants_texts(before, after, same, kept)
    if not gone:
        return
    shared = {said.piece for _, _, said in old}
    left = Counter(well_formed(text) for _, _, said in new if said.piece not in shared for text in said.all_texts())
    now = {item.uid: item.value for item in after.items}
    # A record that was not sent and is now still says what it said beside its message.
    for record, _, said in gone:
        if said.known is None and record in now:
            left.update(map(well_formed, KnownText(now[record], None).all_texts()))
    aside = _set_aside(before, after)
    inside = _Inside(left)
    for record, id_, said in gone:
        if said.known is None and _is_in(before, record, aside):
            continue
        for text in map(well_formed, said.besides()):
            if left[text] > 0:
                left[text] -= 1
            elif not kept(text) and not inside.holds(text):
                yield _lost(record, id_, text)


class _Inside:
    """New texts that contain a value written out as JSON."""

    def __init__(self, new: Iterable[str]) -> None:
        self._new = new
        self._sought = 0

    @cached_property
    def _written_out(self) -> str:
        return "\n".join(text for text in self._new if "{" in text or "[" in text)

    def holds(self, text: str) -> bool:
        self._sought += 1
        if self._sought > _MOST_SOUGHT:
            return False
        return any(json.dumps(text, ensure_ascii=escaped) in self._written_out for escaped in (False, True))


def _assistants_texts(
    before: CheckedRecords, after: CheckedRecords, same: Container[int], kept: Callable[[str], bool]
) -> Iterator[Loss]:
    """Assistant texts, whatever role they have now."""
    old, new = (list(_text_blocks(state)) for state in (before, after))
    said = Counter(well_formed(block.text) for role, block in new if role != "user")
    missing = []
    for role, block in old:
        if role == "user":
            continue
        text = well_formed(block.text)
        if said[text] > 0:
            said[text] -= 1
        elif text.strip() and block.record not in same:
            missing.append((block, text))
    if not missing:
        return
    short = Counter(well_formed(block.text) for _, block in old)
    short.subtract(well_formed(block.text) for _, block in new)
    for block, text in missing:
        if short[text] > 0 and not kept(text):
            short[text] -= 1
            yield _lost(block.record, None, text)


def _same_records(before: CheckedRecords, after: CheckedRecords) -> set[int]:
    """uids of the records that are unchanged in the file."""
    there = {id(item.value) for item in after.items}
    return {item.uid for item in before.items if id(item.value) in there}


def _text_blocks(state: CheckedRecords) -> Iterator[tuple[Any, Block]]:
    for message in state.transcript.messages:
        if message.note is None:
            yield from ((message.role, block) for block in message.blocks if block.kind == "text")


def _lost(record: int, id_: Any, text: str) -> Loss:
    return Loss("text", record, id_ if isinstance(id_, str) else None, None, len(text.encode("utf-8", "replace")))


def _set_aside(before: CheckedRecords, after: CheckedRecords) -> frozenset[bytes]:
    """The bodies of records that were set aside in between, and go to a side file."""
    if before.document is None or after.document is None:
        return frozenset()
    return frozenset(piece.strip() for piece in after.document.aside[len(before.document.aside) :])


def _is_in(state: CheckedRecords, record: int, bodies: frozenset[bytes]) -> bool:
    return bool(bodies) and state.document is not None and state.document.record(record).body.strip() in bodies


_Thing = tuple[int, Any, KnownText]
"""uid of its record, its id, what it says."""


def _things(state: CheckedRecords) -> Iterator[_Thing]:
    """The blocks, messages with more than blocks, and records that are not messages."""
    used: set[int] = set()
    for message in state.transcript.messages:
        used.update(message.records)
        for block in message.blocks:
            if (said := said_by_block(block)) is not None:
                yield block.record, block.id, said
        if state.transcript.native and (said := said_by_message(message)) is not None:
            yield (message.records[0] if message.records else -1), None, said
    used.update(block.record for block in (*state.transcript.inactive_blocks, *state.transcript.unreached))
    blocks = {block.piece for message in state.transcript.messages for block in message.blocks}
    for item in state.items:
        if item.uid not in used:
            if not isinstance(item.value, Damaged):
                yield item.uid, None, KnownText(item.value, None)
        elif not state.transcript.native and id(item.value) not in blocks:
            yield item.uid, None, KnownText(item.value, OF_MESSAGE)
