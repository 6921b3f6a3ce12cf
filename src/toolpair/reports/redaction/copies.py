"""Redacted copies of sessions, which are looked at before anybody gets them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from toolpair.reports.redaction.check import described, differing_rules, left_in, left_of
from toolpair.reports.redaction.redactor import Redactor
from toolpair.reports.redaction.vocabulary import words_anywhere
from toolpair.session.session import Refused, Session, SessionError, open_session
from toolpair.transcript.counting import plural

_ATTEMPTS: Final = 3
_NAMED: Final = 5
"""How many words that were left are named."""
_KNOWN_NAMES: Final = frozenset({"api_conversation_history.json", "ui_messages.json", "claude_messages.json"})
_SUFFIXES: Final = (".jsonl", ".ndjson", ".json", ".py", ".txt")


class RedactedCopy(Struct, frozen=True):
    """A redacted copy of a session, opened. `name` says nothing about the original's."""

    session: Session
    data: bytes
    name: str
    notes: tuple[str, ...]
    """What the original shows only together with files beside it, one sentence each."""


def redacted_session(
    path: str | Path,
    *,
    data: bytes | None = None,
    format: str | None = None,
    profile: str | None = None,
    leaf: str | None = None,
    agent_version: str | Callable[[str], str | None] | None = None,
    max_size: int | None = None,
    key: bytes | None = None,
) -> RedactedCopy:
    """Open a session file redacted; the options are those of `open_session`.

    The copy has the same problems at the same places, and opens like the file. `key` decides on the stand-ins: by
    default a new one that is forgotten afterwards, so that nobody can try which text became this. Raises SessionError
    when the file cannot be read, and Refused when something of the original is left or the copy is judged differently.
    """
    session = open_session(
        path, data=data, format=format, profile=profile, leaf=leaf, agent_version=agent_version, max_size=max_size
    )
    return redacted(session, key=key)


def redacted(session: Session, *, key: bytes | None = None) -> RedactedCopy:
    """A redacted copy of an open session, with the fixes that are staged on it."""
    raw = session.to_bytes()
    python = session.file.kind == "python" and not session.changed
    alone = opened_alone(session, raw)
    data, copy = checked_copy(alone, raw, python=python, key=key)
    return RedactedCopy(copy, data, neutral_name(session.file.shown_name), beside_notes(session, alone))


def checked_copy(
    original: Session, raw: bytes, *, python: bool = False, key: bytes | None = None, whole: bytes | None = None
) -> tuple[bytes, Session]:
    """The bytes of a session redacted, and the copy opened, which has the same problems. Raises Refused."""
    for attempt in range(_ATTEMPTS):
        data, redactor = redacted_bytes(raw, python=python, key=_other_key(key, attempt), whole=whole)
        try:
            return data, same_problems(original, data, redactor.stand_in_for_id)
        except Refused as error:
            refused = error  # a stand-in may look like something by chance
    raise refused


def _other_key(key: bytes | None, attempt: int) -> bytes | None:
    return key if key is None or not attempt else (key + bytes([attempt]))[-64:]


def redacted_bytes(
    raw: bytes, *, python: bool = False, key: bytes | None = None, whole: bytes | None = None
) -> tuple[bytes, Redactor]:
    """Bytes of a session redacted, and what did it. `whole` is the session that they are a part of.

    None of its words may be in the copy. Raises Refused when a word of the original is left.
    """
    text = raw.decode("utf-8", "surrogateescape")
    left: list[str] = []
    words = words_anywhere(raw if whole is None else whole)
    for attempt in range(_ATTEMPTS):
        redactor = Redactor(text, _other_key(key, attempt) or secrets.token_bytes(32), words)
        copy = redactor.file(text, python)
        left = left_in(text, copy, words) or (left_of(whole, words, copy) if whole is not None else [])
        if not left:
            return copy.encode("utf-8", "surrogateescape"), redactor
    some = ", ".join(repr(word) for word in left[:_NAMED])
    raise Refused(
        f"Nothing was written: {plural(len(left), 'word')} of the original would still be in the copy: {some}.",
        "left",
    )


def opened_alone(session: Session, raw: bytes) -> Session:
    """The session as it is without the files beside it: all that somebody sees who gets only this one."""
    view = session.reader.view
    if view.beside is None and not session.changed:
        return session
    alone = opened_like(session, raw, view.leaf)
    alone.current = min(session.current, len(alone.conversations) - 1)
    return alone


def same_problems(original: Session, data: bytes, stand_in: Callable[[str], str]) -> Session:
    """The copy, opened like the original. Raises Refused unless it has the same problems at the same places."""
    leaf = original.conversation.transcript.tree.leaf if original.reader.view.leaf is not None else None
    try:
        copy = opened_like(original, data, stand_in(leaf) if leaf is not None else None)
    except SessionError as error:
        raise Refused(f"Nothing was written: the redacted copy cannot be opened ({error}).", "differs") from None
    copy.current = original.current
    before, after = described(original), described(copy)
    if before != after or copy.format.id != original.format.id:
        rules = ", ".join(differing_rules(before, after)) or f"the format, {copy.format.id},"
        raise Refused(
            f"Nothing was written: in the redacted copy {rules} would not be what it is in the file.", "differs"
        )
    return copy


def opened_like(like: Session, data: bytes, leaf: str | None = None) -> Session:
    """Other bytes, opened as a session was, by a name that says nothing. Raises SessionError."""
    reader = like.reader
    return open_session(
        neutral_name(like.file.shown_name),
        data=data,
        format=reader.format,
        profile=reader.profile,
        leaf=leaf,
        agent_version=reader.view.agent_version,
        max_size=1 << 62,
    )


def beside_notes(session: Session, alone: Session) -> tuple[str, ...]:
    """What the files beside the session add to what is known of it: the copy is without them."""
    if alone is session or session.reader.view.beside is None:
        return ()
    with_them, without = described(session), described(alone)
    if with_them == without:
        return ()
    rules = ", ".join(differing_rules(with_them, without))
    return (
        f"What is said of {rules} also rests on other files in the session's folder. They are not in the copy, "
        "which shows what the file alone shows.",
    )


def neutral_name(shown: str) -> str:
    """What to call a copy: the name says no more than how the file is read."""
    name = os.path.basename(shown).removesuffix(".zst")
    if name in _KNOWN_NAMES:
        return name
    return "session" + next((suffix for suffix in _SUFFIXES if name.lower().endswith(suffix)), "")
