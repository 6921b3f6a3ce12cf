"""A part of a session as a new session: what is before a place, or after it, is left out, and pairs stay whole."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal
from uuid import NAMESPACE_URL, UUID, uuid5

from msgspec import Struct

from toolpair.dialects.anthropic import is_signed
from toolpair.history.conversation import Conversation
from toolpair.rules.wire import is_system
from toolpair.session.session import Session
from toolpair.shell.program import command
from toolpair.source.addresses import DATABASES
from toolpair.source.errors import Refused
from toolpair.source.folders.copying import names_folder
from toolpair.transcript.counting import plural
from toolpair.transcript.draft import value_at
from toolpair.transcript.edits import Edit, InsertMessage, RemoveMessage, RemoveRecord, SetInRecord
from toolpair.transcript.model import Message, Transcript
from toolpair.transcript.pairing import Pair

_OF_A_TOKEN: Final = 4
"""Characters, in English and code."""
_LONG: Final = 4_000
"""Characters from which an estimate has no more than the hundreds."""
Side = Literal["before", "after"]
"""What is left out: what is before the place, or what is after it. The place itself stays."""


class Part(Struct, frozen=True, eq=False):
    """A part of a session. Nothing is written before `session.save_as`."""

    session: Session
    session_id: str | None
    """The new session's id, where its records have one."""
    left_out: tuple[Message, ...]
    kept: int
    """How many messages stay."""
    moved: int
    """How many more messages stay than were asked for, so that no pair is taken apart."""
    added: str | None
    """The text of the message that was put at the start, since no message of the user's stands there."""
    not_sent: int
    """How many records were left out that the model did not see either."""
    file_name: str
    """A name for its file, made like that of the session's own, by which its agent finds it."""
    signed: bool
    """Whether thinking that stays was signed after what is left out."""
    characters: tuple[int, int]
    """How many of text stay, and how many there were."""

    @property
    def estimate(self) -> str:
        """How much of the model's room stays taken."""
        stay, were = (round(count / _OF_A_TOKEN, -2 if count > _LONG else 0) for count in self.characters)
        return f"About {stay:,.0f} of {were:,.0f} tokens stay: an estimate, four characters for each, without images."

    @property
    def text(self) -> str:
        """What the model no longer sees."""
        kinds = Counter(block.kind for message in self.left_out for block in message.blocks)
        users = sum(
            message.role == "user" and any(block.kind == "text" for block in message.blocks)
            for message in self.left_out
        )
        said = [plural(kinds["result"], "output")] if kinds["result"] else []
        said += [f"{plural(users, 'message')} of yours"] if users else []
        summary = (
            ", and the summary of what was before it" if any(one.note == "summary" for one in self.left_out) else ""
        )
        among = f", with {' and '.join(said)}" if said else ""
        return f"The model no longer sees {plural(len(self.left_out), 'message')}{among}{summary}."


def cut(session: Session, where: str, side: Side, name: str = "") -> Part:
    """The session without what is before the place, or after it. `name` is that of the file to come: an id in it
    becomes the new session's.

    Raises ValueError when there is no such place, and Refused where such a file cannot be cut.
    """
    return cut_at(session, _message_at(session, where), side, name)


def cut_at(session: Session, message: int, side: Side, name: str = "") -> Part:
    """The same at a message of the transcript."""
    _refuse(session, name)
    conversation = session.conversation.whole
    transcript = conversation.transcript
    head = next((n for n, one in enumerate(transcript.messages) if not is_system(one)), len(transcript.messages))
    if side == "before":
        start, end = _whole_from(conversation.pairs, transcript.messages, message), len(transcript.messages)
        moved = message - start
    else:
        start, end = head, _whole_to(conversation.pairs, message + 1)
        moved = end - message - 1
    kept = [*transcript.messages[: min(head, start)], *transcript.messages[max(head, start) : end]]
    left_out = [*transcript.messages[head:start], *transcript.messages[end:]]
    if not left_out:
        raise ValueError(f"There is nothing to leave out {side} that place.")
    added = None
    if start > head and transcript.messages[start].role == "assistant":
        added = f"[Left out here: {plural(start - head, 'earlier message')} of this conversation. Added by toolpair.]"
    loose = _records_left_out(conversation, kept, side)
    # Rows name their session in several tables: in a database of its own it keeps its id.
    id_ = _new_id(transcript, name, f"{side} {message}") if session.file.snapshot.rows is None else None
    edits: list[Edit] = [*map(RemoveMessage, left_out), *map(RemoveRecord, loose)]
    after = conversation.apply(edits)
    if added is not None:
        start_of_rest = after.transcript.messages[head - 1] if head else None
        after = after.apply([InsertMessage(start_of_rest, "user", added)])
    names = list(_names_of_session(after, transcript.session_id, id_)) if id_ is not None else []
    after = after.apply(names) if names else after
    _refuse_unless(kept, after, added, conversation.judged.sends_nothing)
    draft = session.draft()
    draft.staging.look_at(session.current, after)
    signed = side == "before" and any(
        block.kind == "thinking" and is_signed(block) for one in kept for block in one.blocks
    )
    unsent = sum(uid in conversation.transcript.scopes for uid in loose)
    return Part(
        draft,
        id_ if names else None,
        tuple(left_out),
        len(kept),
        moved,
        added,
        unsent,
        _file_name(session, transcript.session_id, id_ if names else None),
        signed,
        (_length(kept), _length(kept) + _length(left_out)),
    )


def _length(messages: Sequence[Message]) -> int:
    return sum(len(block.text) for message in messages for block in message.blocks)


def _refuse(session: Session, out: str) -> None:
    name, rows = session.file.shown_name, session.file.snapshot.rows
    if rows is not None and rows.in_folder and not names_folder(out):
        raise Refused(f"{name} is many files in a folder, and so is a part of it: give OUT the name of a new folder.")
    if rows is not None and not rows.in_folder and out and not out.lower().endswith(DATABASES):
        raise Refused(f"{name} is in a database, and so is a part of it: give OUT a name that ends in .db.")
    if session.file.snapshot.only_read:
        raise Refused(
            f"{name} is kept in a way that toolpair only reads, so no part of it would be one that its program loads: "
            f"`{command('export')}` writes a request of it."
        )
    if session.format.read_only is not None:
        raise Refused(session.format.read_only)
    if len(session.conversations) > 1:
        raise Refused(f"{name} has {len(session.conversations):,} conversations, and only a single one is cut.")
    if session.changed:
        raise Refused("Save or undo the applied fixes first: only what is in the file is cut.")


def _file_name(session: Session, old: str | None, new: str | None) -> str:
    path = session.path
    if path is None:
        return "part.jsonl" if session.file.kind == "lines" else "part.json"
    if old and new and old in path.name:
        return path.name.replace(old, new)
    rows = session.file.snapshot.rows
    if rows is not None and rows.in_folder:
        return os.path.basename(os.path.abspath(rows.path))  # agents look for it by this name
    suffixes = "".join(path.suffixes) if rows is None else DATABASES[0]
    return f"{path.name.partition('.')[0]}.part{suffixes}"


def _message_at(session: Session, where: str) -> int:
    found = session.find(where)
    if found is None or not found.leads_somewhere:
        raise ValueError(found.text if found is not None else "Say where, as in messages.40, line:120 or an id.")
    if found.message is not None:
        return found.message
    if found.pair is not None:
        return session.conversation.pairs[found.pair].start[0]
    assert found.problem is not None
    if found.problem.message is None:
        raise ValueError(f"That is not a message. {found.text}")
    return found.problem.message


def _spans(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """The first and the last message of each pair that is in several."""
    spans = []
    for pair in pairs:
        places = [*([pair.call_message] if pair.call_message is not None else []), *pair.result_messages]
        if min(places) < max(places):
            spans.append((min(places), max(places)))
    return spans


def _whole_from(pairs: Sequence[Pair], messages: Sequence[Message], start: int) -> int:
    """The last message up to `start` that no pair goes across; the user's before it, where that asks for it."""
    for first, last in sorted(_spans(pairs), key=lambda span: -span[1]):
        if first < start <= last:
            start = first
    asks = start > 0 and messages[start].role == "assistant" and messages[start - 1].role == "user"
    return start - 1 if asks and not messages[start - 1].results else start


def _whole_to(pairs: Sequence[Pair], end: int) -> int:
    """The first place from `end` on that no pair goes across."""
    for first, last in sorted(_spans(pairs)):
        if first < end <= last:
            end = last + 1
    return end


def _records_left_out(conversation: Conversation, kept: Sequence[Message], side: Side) -> list[int]:
    """The records that go besides those of messages: what stands between these, and all that is not sent."""
    transcript, items = conversation.transcript, conversation.judged.items
    staying = {uid for message in kept for uid in message.records}
    of_messages = {uid for message in transcript.messages for uid in message.records}
    places = {item.uid: place for place, item in enumerate(items)}
    own = sorted(places[uid] for uid in staying if uid in places)
    gone = sorted(places[uid] for uid in of_messages - staying if uid in places)
    first, last = gone[0] if gone else len(items), gone[-1] if gone else -1
    if side == "before":
        last = min((place for place in own if place > first), default=len(items))
    else:
        first, last = own[-1] if own else -1, len(items)
    return [
        item.uid
        for place, item in enumerate(items)
        if item.uid not in staying and (first <= place < last or transcript.scopes.get(item.uid) == "inactive")
    ]


def _new_id(transcript: Transcript, name: str, seed: str) -> str | None:
    """The id in the new file's name, else one that is the same on every run."""
    old = transcript.session_id
    if old is None:
        return None
    for start in range(len(name) - 35):
        try:
            found = str(UUID(name[start : start + 36]))
        except ValueError:
            continue
        if found == name[start : start + 36].lower() and found != old:
            return found
    return str(uuid5(NAMESPACE_URL, f"toolpair:{old}:{seed}"))


def _names_of_session(conversation: Conversation, old: Any, new: str) -> Iterator[SetInRecord]:
    """New records have the old id, too: they are made like their neighbours."""
    for item in conversation.judged.items:
        for slot in conversation.format.session_slots:
            if value_at(item.value, slot) == old:
                yield SetInRecord(item.uid, slot, new)


def _refuse_unless(kept: Sequence[Message], after: Conversation, added: str | None, resumes_not: bool) -> None:
    """The new session has to hold exactly what was to stay, and its agent has to resume it, if it resumes the old."""
    found = list(after.transcript.messages)
    seen = after.judged.seen
    if seen is not None and seen.refuses is not None and not resumes_not:
        raise Refused(f"It cannot be cut there: {seen.refuses}")
    said = [part for part in _said(found) if added is None or part[2] != added]
    if said != list(_said(kept)) or (added is not None and all(part[2] != added for part in _said(found))):
        raise Refused("It cannot be cut there: this format ties what stays to what would go.")


def _said(messages: Sequence[Message]) -> Iterator[tuple[Any, str, Any]]:
    for message in messages:
        for block in message.blocks:
            yield message.role, block.kind, block.text if block.kind == "text" else block.value
