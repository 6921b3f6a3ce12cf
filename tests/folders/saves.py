"""Saves of sessions in folders, for the tests: one that changes files, makes new ones and removes some."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tests.opencode_folders import files, written
from tests.opencode_sessions import ID, OpencodeSession, another, plain, running, word
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import finish_killed_save
from toolpair.source.folders.save import FilesSave
from toolpair.source.saving.backups import backups
from toolpair.source.saving.restoring import restore
from toolpair.source.system import Io
from toolpair.transcript.edits import InsertMessage, Remove

STEPS = ("read", "prepare", "backup", "journal", *("exchange",) * 5, "compare", "finish")
Files = dict[str, bytes]


def broken() -> OpencodeSession:
    session = plain()
    session.data("b")["state"] = running("b", word("b"))["state"]
    session.message_of("c")["data"]["error"] = {"name": "APIError", "data": {"message": "Overloaded"}}
    return session


def made(folder: Path) -> Path:
    return written(folder, broken(), another())


def opened(storage: Path) -> Session:
    return open_session(f"{storage}::{ID}")


def staged(storage: Path) -> Session:
    """With two files to change, two new ones in a new folder, and one to remove."""
    session = opened(storage)
    mended = session.conversation
    while mends := [fix.edits for problem in mended.problems for fix in problem.fixes if fix.recommended]:
        mended = mended.apply(mends[0])  # the second shows once the first is mended
    messages = mended.transcript.messages
    said = next(block for message in messages for block in message.blocks if block.text == "Again.")
    edits = [Remove(said), InsertMessage(messages[-1], "user", "One more.")]
    session.staging.now = (mended.apply(edits),)
    return session


def save_of(session: Session, step: Callable[[str], None] = lambda name: None, io: Io | None = None) -> FilesSave:
    documents = [found.document for found in session.conversations]
    return FilesSave(session.file.snapshot, session.file.container, documents, step=step, io=io or Io())


def saving(storage: Path, step: Callable[[str], None] = lambda name: None, io: Io | None = None) -> FilesSave:
    return save_of(staged(storage), step, io)


def wanted(folder: Path) -> tuple[Files, Files]:
    """All files before and after a save that succeeds."""
    storage = made(folder)
    before = files(storage)
    saving(storage).write()
    return before, files(storage)


def check(storage: Path, before: Files, after: Files) -> bool:
    """Assert that the folder is as before or as wanted once a save was finished; True for the latter.

    Opening it changes nothing.
    """
    there = files(storage)
    open_session(f"{storage}::{ID}")
    assert files(storage) == there
    finish_killed_save(f"{storage}::{ID}")
    now = files(storage)
    assert now in (before, after)
    rooms = [path for path in storage.iterdir() if path.name.startswith(".")]
    assert not any(os.listdir(room) for room in rooms), "an empty one is only removed when it is old"
    if now == after:
        assert backups(storage), "nothing is changed without a way back"
        restore(storage, backups(storage)[0])
        assert files(storage) == before
    return now == after
