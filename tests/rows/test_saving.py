"""Saving a session of a database: nothing changes but what the fixes name."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import toolpair
from tests.docker_agent_databases import BREAKS, broken, child, database, dump, rows_of, several, sound
from tests.rounds import mixed, tries
from toolpair.session.saving import Saved
from toolpair.session.session import Session
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.floods import LEAST_WITH_TEXT
from toolpair.source.saving.restoring import restore

STATEMENT = "UPDATE session_items SET {} WHERE session_id = 'sound'"


def opened(path: Path, session: str = "sound") -> Session:
    return toolpair.open(f"{path}::{session}")


def fixed(path: Path, session: str = "sound") -> Saved:
    found = opened(path, session)
    assert found.stage_recommended()
    return found.save()


def run(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql, values)
        connection.commit()


def is_whole(path: Path, links: bool = False) -> bool:
    """Whether the database is sound. `links`: a row of it refers to nothing already."""
    with closing(sqlite3.connect(path)) as connection:
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)] and bool(broken) == links


def messages(session: Session) -> list[bytes]:
    """The text of each message, as far as it can be told where it begins."""
    return [line.partition(b'"message_json":')[2] for line in session.to_bytes().split(b"\n")]


@pytest.mark.parametrize(("how", "version"), mixed(BREAKS, (29, 19)))
def test_everything_else_stays(tmp_path: Path, how: str, version: int) -> None:
    if version == 19 and "kept" in how:
        pytest.skip("a later column")
    path = several(
        tmp_path / "session.db",
        how,
        version=version,
        wal=version == 29,
        page_size=1024,
        more="PRAGMA user_version = 77",
    )
    path.chmod(0o640)
    before, own, dump_before = dump(path, "sound"), rows_of(path, "sound"), dump(path)
    session = opened(path)
    if not session.stage_recommended():
        return
    if "glued" in how:
        # It has no repair that is a row, and a new row would have to come before it.
        assert {fix.id for one in session.problems if one.rule == "record.glued" for fix in one.fixes} == {"set-aside"}
        with pytest.raises((Refused, SaveFailed)):
            session.save()
        assert dump(path) == dump_before and os.listdir(tmp_path) == [path.name]
        return
    wanted = messages(session)
    saved = session.save()
    assert dump(path, "sound") == before
    assert rows_of(path, "sound")[0] == own[0], "the session's own row"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert saved.backup is not None and stat.S_IMODE(saved.backup.stat().st_mode) == 0o600
    aside = [saved.aside.name] if saved.aside is not None else []
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, saved.backup.name, *aside])
    assert is_whole(path, "gone" in how)
    again = opened(path)
    assert messages(again) == wanted
    assert not again.stage_recommended()


@pytest.mark.parametrize("how", ["pretty", "pretty with tabs", "pretty with CRLF", "sanitised id"])
def test_what_a_fix_does_not_name_stays_in_its_row(tmp_path: Path, how: str) -> None:
    path = several(tmp_path / "session.db", how)
    odd = '{ "role" : "tool",\t"content":"\\u003cx\\u003E \\/ 1e5",\r\n "n": [1E5, -0, 0.1000, 12345678901234567890123, 1.0], "n": 2, %s }\n'
    with closing(sqlite3.connect(path)) as connection:
        ((id_, said),) = connection.execute(
            "SELECT id, message_json FROM session_items WHERE session_id = 'sound' AND position = 2"
        ).fetchall()
        asked = json.loads(said).get("tool_call_id")
        connection.execute(
            "UPDATE session_items SET message_json = ? WHERE id = ?", (odd % f'"tool_call_id": "{asked}"', id_)
        )
        connection.commit()
    fixed(path)
    with closing(sqlite3.connect(path)) as connection:
        ((now,),) = connection.execute("SELECT message_json FROM session_items WHERE id = ?", (id_,)).fetchall()
    expected = asked if how != "sanitised id" else "toolu_sound-one"
    assert now == odd % f'"tool_call_id": "{expected}"'


VALUES = [
    None,
    "",
    "null",
    b"",
    b"\x00\xff",
    2**63 - 1,
    -(2**63),
    1.5,
    1e308,
    float("inf"),
    "a\x00b",
    "5",
    5,
    "é\U0001f600",
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_any_value_of_another_column_stays(tmp_path: Path, value: object) -> None:
    path = several(tmp_path / "session.db", more="ALTER TABLE session_items ADD COLUMN extra")
    run(path, STATEMENT.format("extra = ?"), value)
    before = {row[0]: row[-1] for row in rows_of(path, "sound")[1:]}
    fixed(path)
    after = {row[0]: row[-1] for row in rows_of(path, "sound")[1:]}
    assert {id_: after[id_] for id_ in before if id_ in after} == {id_: before[id_] for id_ in before if id_ in after}
    assert all(type(after[id_]) is type(before[id_]) for id_ in before if id_ in after)


def test_bytes_that_are_not_utf8_stay_in_a_row_that_changes(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", "sanitised id")
    run(path, STATEMENT.format("agent_name = CAST(x'ff666fc3' AS TEXT)"))
    fixed(path)
    assert {row[4] for row in rows_of(path, "sound")[1:]} == {b"\xff\x66\x6f\xc3"}


def test_a_message_in_a_blob_stays_a_blob(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", "sanitised id")
    run(path, STATEMENT.format("message_json = CAST(message_json AS BLOB)"))
    fixed(path)
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT DISTINCT typeof(message_json) FROM session_items WHERE session_id = 'sound'"
        assert connection.execute(query).fetchall() == [("blob",)]
    assert not opened(path).problems


TRIGGERS = {
    "a column of the session": (
        "CREATE TRIGGER touch AFTER UPDATE ON session_items BEGIN "
        "UPDATE sessions SET starred = starred + 1 WHERE id = new.session_id; END",
        "more row and the values of sessions.starred (its trigger touch).",
    ),
    "another table": (
        "CREATE TABLE log (said); CREATE TRIGGER noted AFTER UPDATE ON session_items BEGIN "
        "INSERT INTO log VALUES (new.id); END",
        "more row (its trigger noted).",
    ),
    "a column of the row": (
        "CREATE TRIGGER named AFTER UPDATE OF message_json ON session_items BEGIN "
        "UPDATE session_items SET agent_name = 'touched' WHERE id = new.id; END",
        "session_items.agent_name (its trigger named).",
    ),
}


@pytest.mark.parametrize("what", TRIGGERS)
def test_what_triggers_change_is_said(tmp_path: Path, what: str) -> None:
    sql, says = TRIGGERS[what]
    path = several(tmp_path / "session.db", "sanitised id", more=sql)
    saved = fixed(path)
    assert len(saved.notes) == 1 and saved.notes[0].endswith(says), saved.notes
    assert not opened(path).problems


def test_a_trigger_that_changes_a_message_ends_the_save(tmp_path: Path) -> None:
    sql = (
        "CREATE TRIGGER undo AFTER UPDATE OF message_json ON session_items BEGIN "
        "UPDATE session_items SET message_json = old.message_json WHERE id = new.id; END"
    )
    path = several(tmp_path / "session.db", "sanitised id", more=sql)
    before = dump(path)
    with pytest.raises((Refused, SaveFailed), match=r"made something else of it.*unchanged"):
        fixed(path)
    assert dump(path) == before and os.listdir(tmp_path) == [path.name]


def test_a_check_may_call_a_function_that_is_new(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", "sanitised id")
    with closing(sqlite3.connect(path)) as connection:
        ((sql,),) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'session_items'").fetchall()
        connection.execute("PRAGMA writable_schema = ON")
        checked = sql.replace("message_json TEXT", "message_json TEXT CHECK (octet_length(message_json) > 3)")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'session_items'", (checked,))
        connection.commit()
    fixed(path)
    assert not opened(path).problems


def test_a_row_that_the_database_refuses(tmp_path: Path) -> None:
    sql = "CREATE TRIGGER never BEFORE INSERT ON session_items BEGIN SELECT RAISE(ABORT, 'this is not allowed'); END"
    path = several(tmp_path / "session.db", "missing", more=sql)
    before = dump(path)
    with pytest.raises((Refused, SaveFailed), match=r"this is not allowed.*unchanged"):
        fixed(path)
    assert dump(path) == before and os.listdir(tmp_path) == [path.name]


LEAVE = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("UPDATE sessions SET title = 'in the log' WHERE id = 'newest'")
os.kill(os.getpid(), 9)
"""


def left_open(path: Path) -> None:
    """As an agent that was killed leaves it: with a log."""
    subprocess.run([sys.executable, "-c", LEAVE, str(path)])
    assert path.with_name(path.name + "-wal").stat().st_size


@pytest.mark.parametrize("index", [True, False])
def test_a_log_stays_where_there_was_one(tmp_path: Path, index: bool) -> None:
    path = several(tmp_path / "session.db", wal=True)
    left_open(path)
    if not index:
        path.with_name(path.name + "-shm").unlink()
    main, log = path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()
    fixed(path)
    assert path.read_bytes() == main
    assert path.with_name(path.name + "-wal").read_bytes()[: len(log)][32:] == log[32:]
    assert path.with_name(path.name + "-wal").stat().st_size > len(log)
    copy = tmp_path / "moved"
    copy.mkdir()
    for name in ("session.db", "session.db-wal"):
        shutil.copyfile(tmp_path / name, copy / name)
    found = rows_of(copy / "session.db", "newest")[0]
    assert b"in the log" in found
    assert not opened(copy / "session.db").problems


def test_no_log_is_left_where_there_was_none(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", wal=True)
    saved = fixed(path)
    assert saved.backup is not None
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, saved.backup.name])
    assert path.read_bytes()[18:20] == b"\2\2", "its journal mode"


def test_a_key_of_another_row_is_not_taken(tmp_path: Path) -> None:
    """Another session went on since this one was opened: the ids that a fix chose are taken."""
    path = several(tmp_path / "session.db", "missing")
    session = opened(path)
    assert session.stage_recommended()
    run(
        path,
        "INSERT INTO session_items (session_id, position, item_type, message_json) VALUES ('newest', 99, 'message', '{}')",
    )
    before = dump(path)
    with pytest.raises((Refused, SaveFailed), match="has changed since it was opened"):
        session.save()
    assert dump(path) == before and os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE session_items SET message_json = replace(message_json, 'I look', 'I see') WHERE session_id = 'sound' AND position = 1",
        "UPDATE session_items SET position = 50 WHERE session_id = 'sound' AND position = 1",
        "DELETE FROM session_items WHERE session_id = 'sound' AND position = 8",
        "INSERT INTO session_items (session_id, position, item_type, message_json) VALUES ('sound', 99, 'message', '{}')",
        "UPDATE sessions SET title = 'other' WHERE id = 'sound'",
        "DELETE FROM session_items WHERE session_id = 'sound'",
    ],
)
def test_a_session_that_changed_is_not_saved(tmp_path: Path, sql: str) -> None:
    path = several(tmp_path / "session.db")
    session = opened(path)
    assert session.stage_recommended()
    run(path, sql)
    before = dump(path)
    with pytest.raises((Refused, SaveFailed), match="has changed since it was opened"):
        session.save()
    assert dump(path) == before and os.listdir(tmp_path) == [path.name]


def test_another_session_may_go_on_meanwhile(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", "sanitised id")
    session = opened(path)
    assert session.stage_recommended()
    run(path, "UPDATE session_items SET message_json = '{}' WHERE session_id = 'newest' AND position = 1")
    before = dump(path, "sound")
    session.save()
    assert dump(path, "sound") == before and not opened(path).problems


def test_utf16_is_not_written(tmp_path: Path) -> None:
    path = several(tmp_path / "old.db")
    new = tmp_path / "session.db"
    with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(new)) as made:
        made.execute("PRAGMA encoding = 'UTF-16le'")
        made.executescript("\n".join(line for line in old.iterdump()))
    path.unlink()
    before = dump(new)
    with pytest.raises((Refused, SaveFailed), match=r"UTF-16le.*save a copy"):
        fixed(new)
    assert dump(new) == before and os.listdir(tmp_path) == [new.name]


def test_rows_of_another_session_that_refer_to_one_that_goes(tmp_path: Path) -> None:
    """A row may be referred to by a table that toolpair does not know."""
    sql = "CREATE TABLE notes (id INTEGER, item INTEGER REFERENCES session_items(id)); "
    path = several(tmp_path / "session.db", "twice", more=sql)
    run(path, "INSERT INTO notes SELECT 1, id FROM session_items WHERE session_id = 'sound' AND position IN (2, 3)")
    before = dump(path)
    session = opened(path)
    session.stage_recommended()
    with pytest.raises(Refused, match="other rows refer to one that would be removed"):
        session.save()
    assert dump(path) == before and is_whole(path)


def test_rows_that_go_with_one_that_is_removed_are_said(tmp_path: Path) -> None:
    sql = "CREATE TABLE notes (id INTEGER, item INTEGER REFERENCES session_items(id) ON DELETE CASCADE); "
    path = several(tmp_path / "session.db", "twice", more=sql)
    run(path, "INSERT INTO notes SELECT 1, id FROM session_items WHERE session_id = 'sound' AND position IN (2, 3)")
    saved = fixed(path)
    assert any("The database itself changed 1 more row (rows that refer to others)." in note for note in saved.notes)
    assert is_whole(path)


def test_the_numbering_of_new_rows_goes_on(tmp_path: Path) -> None:
    """No number is given twice, even when the row that had it is taken back."""
    path = several(tmp_path / "session.db", "missing")

    def last() -> int:
        with closing(sqlite3.connect(path)) as connection:
            (found,) = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'session_items'").fetchone()
            return int(found)

    before = last()
    saved = fixed(path)
    assert last() == before + 1
    assert saved.backup is not None
    restore(path, saved.backup)
    assert last() == before + 1


def test_the_limit_of_backups(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db")
    for number in range(3):
        (tmp_path / f"session.db.toolpair-2025010{number + 1}-000000.bak").write_bytes(b"earlier")
    session = opened(path)
    session.stage_recommended()
    saved = session.save(keep_backups=2)
    assert len(saved.removed) == 2
    assert len(list(tmp_path.glob("*.bak"))) == 2


def test_a_file_of_one_page_whose_session_is_in_its_log(tmp_path: Path) -> None:
    made = several(tmp_path / "made.db")
    path = tmp_path / "session.db"
    script = (
        "import os, sqlite3, sys\n"
        "made = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "made.execute('PRAGMA journal_mode = WAL'); made.execute('PRAGMA wal_autocheckpoint = 0')\n"
        "made.executescript(sys.stdin.read())\n"
        "os.kill(os.getpid(), 9)\n"
    )
    with closing(sqlite3.connect(made)) as old:
        said = "\n".join(old.iterdump())
    subprocess.run([sys.executable, "-c", script, str(path)], input=said.encode("utf-8", "replace"))
    assert path.stat().st_size == 4096
    assert len(opened(path).problems) == len(opened(made).problems) > 0
    fixed(path)
    assert path.stat().st_size == 4096 and not [one for one in opened(path).problems if one.severity == "error"]


def test_a_session_of_one_among_thousands_is_fixed(tmp_path: Path) -> None:
    path = database(tmp_path / "session.db", broken("several"), child(), *(sound(f"s{n}") for n in range(300)))
    before = dump(path, "sound")
    fixed(path)
    assert dump(path, "sound") == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("log", [True, False])
def test_the_owner_stays_and_gets_the_backup(tmp_path: Path, log: bool) -> None:
    path = several(tmp_path / "session.db", wal=log)
    if log:
        left_open(path)
    for name in os.listdir(tmp_path):
        os.chown(tmp_path / name, 65534, 65534)
    fixed(path)
    for name in os.listdir(tmp_path):
        assert (tmp_path / name).stat().st_uid == 65534, name
    assert len(list(tmp_path.glob("*.bak"))) == 1


@pytest.mark.parametrize("length", [240, 250])
def test_a_name_to_which_nothing_can_be_added(tmp_path: Path, length: int) -> None:
    path = several(tmp_path / "session.db").rename(tmp_path / f"{'n' * length}.db")
    with pytest.raises(Refused, match="too long to keep the original beside it") as refused:
        fixed(path)
    assert refused.value.reason == "name-too-long"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_rows_damaged_alike_are_rows_however_many_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    least = tries(LEAST_WITH_TEXT, 1500)
    monkeypatch.setattr("toolpair.source.floods.LEAST_WITH_TEXT", least)
    path = several(tmp_path / "session.db")
    columns = "session_id, position, item_type, agent_name, message_json, implicit"
    with closing(sqlite3.connect(path)) as connection:
        rows = [("sound", 100 + number, "message", "", "", 0) for number in range(least + 1)]
        connection.executemany(f"INSERT INTO session_items ({columns}) VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.commit()
    before = len(rows_of(path, "sound"))
    fixed(path)
    assert len(rows_of(path, "sound")) <= before - least
    assert not opened(path).stage_recommended()


def test_a_database_with_another_name_is_not_written(tmp_path: Path) -> None:
    """SQLite looks for a log beside the name that it is given: what an agent left beside another one would be lost."""
    path = several(tmp_path / "session.db", wal=True)
    link = tmp_path / "link.db"
    link.hardlink_to(path)
    before = dump(path)
    with pytest.raises(Refused, match="has other names") as refused:
        fixed(link)
    assert refused.value.reason == "form"
    assert dump(path) == before and not list(tmp_path.glob("*.bak"))
