"""Putting back what a save changed in a database."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.docker_agent_databases import dump, several
from tests.rows.test_saving import fixed, left_open, opened, run
from toolpair.cli.main import main
from toolpair.source.errors import Refused
from toolpair.source.rows import save
from toolpair.source.saving.backups import backups
from toolpair.source.saving.restoring import restore

HOWS = (
    "several",
    "missing",
    "twice",
    "sanitised id",
    "not JSON",
    "pretty with tabs",
    "summary that kept and a missing result",
)


@pytest.fixture(params=[True, False], ids=["whole", "rows only"])
def is_whole(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if not request.param:
        monkeypatch.setattr(save, "COPIED", 1)
    return bool(request.param)


@pytest.mark.parametrize("how", HOWS)
def test_exactly_the_rows_are_back(tmp_path: Path, is_whole: bool, how: str) -> None:
    path = several(tmp_path / "session.db", how)
    before = dump(path)
    saved = fixed(path)
    assert saved.backup is not None and dump(path) != before
    assert bool(saved.notes) != is_whole
    restore(path, saved.backup)
    assert dump(path) == before


def test_a_backup_of_rows_is_small_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save, "COPIED", 1)
    path = several(tmp_path / "session.db", "sanitised id")
    saved = fixed(path)
    assert saved.backup is not None
    assert "the rows that were changed, not the whole database" in saved.notes[0]
    said = saved.backup.read_bytes()
    assert b"word-newest" not in said and b"toolu_sound" in said
    assert saved.backup.stat().st_mode & 0o777 == 0o600


def test_after_another_session_went_on(tmp_path: Path, is_whole: bool) -> None:
    path = several(tmp_path / "session.db")
    before = dump(path, "newest")
    saved = fixed(path)
    run(
        path,
        "INSERT INTO session_items (session_id, position, item_type, message_json) VALUES ('newest', 99, 'message', '{}')",
    )
    others = dump(path, "sound")
    assert saved.backup is not None
    restore(path, saved.backup)
    assert dump(path, "newest") == before and dump(path, "sound") == others


def test_after_this_session_went_on(tmp_path: Path, is_whole: bool) -> None:
    """What was added since stays; the rows that the save changed are as they were."""
    path = several(tmp_path / "session.db", "sanitised id")
    before = dump(path)
    saved = fixed(path)
    run(
        path,
        "INSERT INTO session_items (session_id, position, item_type, message_json) VALUES ('sound', 99, 'message', '{}')",
    )
    assert saved.backup is not None
    restore(path, saved.backup)
    after = dump(path)
    assert [row[3] for row in after["session_items"] if row not in before["session_items"]] == [99]
    run(path, "DELETE FROM session_items WHERE position = 99")
    assert dump(path) == before


@pytest.mark.parametrize("how", ["several", "sanitised id", "missing"])
def test_refused_where_a_row_has_changed_since(tmp_path: Path, is_whole: bool, how: str) -> None:
    path = several(tmp_path / "session.db", how)
    before = {row[1]: row for row in dump(path)["session_items"]}
    saved = fixed(path)
    after = {row[1]: row for row in dump(path)["session_items"]}
    changed = next(id_ for id_ in after if after[id_] != before.get(id_))
    run(path, 'UPDATE session_items SET message_json = \'{"role":"user"}\', position = 70 WHERE id = ?', changed)
    now, there = dump(path), os.listdir(tmp_path)
    assert saved.backup is not None
    with pytest.raises(Refused, match="have changed since that save"):
        restore(path, saved.backup)
    assert dump(path) == now and os.listdir(tmp_path) == there


def test_letters_of_another_case_are_another_value(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", "sanitised id")
    with closing(sqlite3.connect(path)) as connection:
        ((sql,),) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'session_items'").fetchall()
        connection.execute("PRAGMA writable_schema = ON")
        loose = sql.replace("message_json TEXT", "message_json TEXT COLLATE NOCASE")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'session_items'", (loose,))
        connection.commit()
    saved = fixed(path)
    run(
        path, "UPDATE session_items SET message_json = replace(message_json, 'word', 'WORD') WHERE session_id = 'sound'"
    )
    assert saved.backup is not None
    with pytest.raises(Refused, match="have changed since that save"):
        restore(path, saved.backup)


def test_twice_is_refused_in_a_sentence(tmp_path: Path, is_whole: bool) -> None:
    path = several(tmp_path / "session.db")
    saved = fixed(path)
    assert saved.backup is not None
    restore(path, saved.backup)
    now = dump(path)
    with pytest.raises(Refused, match="already holds the rows"):
        restore(path, saved.backup)
    assert dump(path) == now


def test_of_a_restore(tmp_path: Path, is_whole: bool) -> None:
    path = several(tmp_path / "session.db")
    before = dump(path)
    saved = fixed(path)
    after = dump(path)
    for number in range(4):
        newest = backups(path)[0]
        restore(path, newest)
        assert dump(path) == (before if number % 2 == 0 else after)
    assert saved.backup is not None and len(backups(path)) == 5
    assert all(one.path.stat().st_mode & 0o777 == 0o600 for one in backups(path))


def test_of_a_database_that_is_gone(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", wal=True)
    before = dump(path)
    saved = fixed(path)
    path.unlink()
    assert saved.backup is not None
    assert main(["restore", str(path), "--backup", "latest"]) == 0
    after = dump(path)
    assert after == before


def test_of_a_database_that_is_gone_but_its_log_is_not(tmp_path: Path) -> None:
    """SQLite would take what is in the log for a part of what was put back."""
    path = several(tmp_path / "session.db", wal=True)
    saved = fixed(path)
    left_open(path)
    path.unlink()
    assert saved.backup is not None
    with pytest.raises(Refused, match="move it away first"):
        restore(path, saved.backup)
    assert not path.exists()


def test_of_a_database_that_is_gone_from_rows_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows alone are not the database."""
    monkeypatch.setattr(save, "COPIED", 1)
    path = several(tmp_path / "session.db")
    saved = fixed(path)
    path.unlink()
    assert saved.backup is not None
    with pytest.raises(Refused, match="only the rows"):
        restore(path, saved.backup)
    assert not path.exists()


def test_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = several(tmp_path / "session.db")
    before = dump(path)
    assert main(["fix", f"{path}::sound", "--in-place"]) in (0, 1)
    assert dump(path) != before
    assert main(["restore", f"{path}::sound"]) == 0
    assert ".bak" in capsys.readouterr().out
    assert main(["restore", f"{path}::sound", "--backup", "latest"]) in (0, 4)
    assert dump(path) == before
    assert main(["restore", str(path), "--backup", backups(path)[1].path.name]) == 3
    assert dump(path) == before


def test_undo_of_a_save(tmp_path: Path) -> None:
    """By the way of the interface: only while nothing else was written."""
    path = several(tmp_path / "session.db")
    before = dump(path)
    session = opened(path)
    session.stage_recommended()
    saved = session.save()
    assert saved.backup is not None
    restore(path, saved.backup, only_over=session.file.snapshot)
    assert dump(path) == before
    session = opened(path)
    session.stage_recommended()
    saved = session.save()
    run(path, "UPDATE sessions SET title = 'gone on' WHERE id = 'newest'")
    assert saved.backup is not None
    with pytest.raises(Refused, match="has changed"):
        restore(path, saved.backup, only_over=session.file.snapshot)


def test_a_copy_of_a_backup_is_a_database_as_any(tmp_path: Path) -> None:
    saved = fixed(several(tmp_path / "session.db"))
    assert saved.backup is not None
    path = saved.backup.rename(tmp_path / "again.db")
    before = dump(path)
    assert fixed(path).backup is not None
    assert main(["restore", str(path), "--backup", "latest"]) == 0
    assert dump(path) == before
    path.unlink()
    assert main(["restore", str(path), "--backup", "latest"]) == 0
    assert not any("toolpair" in name for name in dump(path))
