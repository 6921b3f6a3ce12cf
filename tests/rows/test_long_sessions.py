"""The lines of a long session are kept on disk, where nobody else finds them."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

import toolpair
from tests.docker_agent_databases import several
from tests.opencode_folders import planted_in
from tests.opencode_sessions import corpus
from toolpair.source import spooled
from toolpair.source.file_bytes import FileBytes
from toolpair.source.growth import look
from toolpair.source.rows import session_rows


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is written by itself."""
    monkeypatch.setattr(spooled, "LARGE", 1)
    monkeypatch.setattr(session_rows, "_ASKED", 1)
    monkeypatch.setattr(spooled, "_HELD", 1)


def _fixed(name: str, folder: Path, beside: str) -> dict[str, Any]:
    """What there is to see and to save of a session."""
    session = toolpair.open(name)
    data = session.file.snapshot.data
    before = bytes(data[:])
    session.stage_recommended()
    copy = folder / f"{beside}.jsonl"
    session.save_as(copy)
    lines = copy.read_bytes()
    session.save()
    again = toolpair.open(name)
    return {
        "before": before,
        "copy": lines,
        "after": bytes(again.file.snapshot.data[:]),
        "problems": [(problem.rule, problem.message) for problem in again.problems],
        "kind": type(data),
    }


def _database(folder: Path) -> str:
    folder.mkdir()
    return f"{several(folder / 'session.db', 'missing')}::sound"


def _storage(folder: Path) -> str:
    folder.mkdir()
    planted = corpus()["running_in_the_middle"]
    return f"{planted_in(folder, planted)}::{planted.session.id}"


@pytest.mark.parametrize("made", [_database, _storage])
def test_it_is_read_and_saved_as_a_short_one(made: Any, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    short = _fixed(made(tmp_path / "short"), tmp_path, "short")
    request.getfixturevalue("long")
    found = _fixed(made(tmp_path / "long"), tmp_path, "long")
    assert (short.pop("kind"), found.pop("kind")) == (bytes, FileBytes)
    assert found == short


def test_the_lines_have_no_name(long: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    session = toolpair.open(_database(tmp_path / "one"))
    data = session.file.snapshot.data
    assert isinstance(data, FileBytes)
    assert list(folder.iterdir()) == []
    assert os.fstat(data.fileno()).st_mode & 0o077 == 0


@pytest.mark.parametrize("after", [0, 1, 5])
def test_without_room_they_stay_in_memory(
    after: int, long: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _database(tmp_path / "one")
    whole = bytes(toolpair.open(name).file.snapshot.data[:])
    real, calls = os.writev, 0

    def written(descriptor: int, pieces: list[bytes]) -> int:
        nonlocal calls
        calls += 1
        data = b"".join(pieces)
        if calls <= after:
            return os.write(descriptor, data[:-1] if calls % 2 else data)
        # Some of it may still be written.
        real(descriptor, [data[: len(data) // 2]])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spooled.os, "writev", written)
    data = toolpair.open(name).file.snapshot.data
    assert isinstance(data, bytes)
    assert data == whole


def test_what_comes_later_is_seen(long: None, tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    name = _database(tmp_path / "one")
    session = toolpair.open(name)
    snapshot = session.file.snapshot
    assert look(snapshot, None) is None
    path = name.partition("::")[0]
    with closing(sqlite3.connect(path)) as agent:
        columns = "session_id, position, item_type, agent_name, message_json, implicit"
        row = ("sound", 99, "message", "", '{"role":"user","content":"More."}', 0)
        agent.execute(f"INSERT INTO session_items ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)
        agent.commit()
    grown = look(snapshot, None)
    assert grown is not None and grown.snapshot is not None
    assert grown.change in ("grown", "rewritten")
    assert bytes(grown.snapshot.data[:]).count(b"\n") == bytes(snapshot.data[:]).count(b"\n") + 1
