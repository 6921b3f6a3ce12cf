"""A session saved as a small database of its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import toolpair
from tests.docker_agent_databases import BREAKS, database, several, sound
from tests.rounds import mixed, some
from tests.rows.test_saving import messages, opened
from toolpair.cli.main import main
from toolpair.source.errors import Refused

MORE = """
PRAGMA user_version = 77;
PRAGMA application_id = 4711;
CREATE TABLE credential (id TEXT, secret TEXT);
INSERT INTO credential VALUES ('x', 'sk-very-secret-indeed');
CREATE UNIQUE INDEX one_place ON session_items (session_id, position, id);
CREATE VIEW titles AS SELECT title FROM sessions;
CREATE TRIGGER counted AFTER INSERT ON session_items BEGIN UPDATE sessions SET starred = 9; END;
CREATE TABLE forgotten (a); INSERT INTO forgotten VALUES ('word-forgotten-word'); DROP TABLE forgotten;
"""


@pytest.mark.parametrize(("how", "wal"), some(mixed(BREAKS, (True, False)), 15))
def test_it_is_the_same_session_and_nobody_elses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str, wal: bool
) -> None:
    path = several(tmp_path / "session.db", how, wal=wal, more=MORE)
    session = opened(path)
    copy = tmp_path / "copy.db"
    session.save_as(copy)
    raw = copy.read_bytes()
    for word in (b"sk-very-secret", b"newest", b"oldest", b"cellar", b"word-child", b"forgotten-word"):
        assert word not in raw, word
    again = toolpair.open(copy)
    assert again.format.id == session.format.id and again.profile.id == session.profile.id
    assert messages(again) == messages(session)
    described = [
        [(one.rule, one.severity, one.impact, one.message) for one in found.problems] for found in (session, again)
    ]
    assert described[0] == described[1]
    assert sent(str(copy), capsys) == sent(f"{path}::sound", capsys)


def sent(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    main(["sees", name])
    return capsys.readouterr().out.replace(name, "")


def test_what_a_fix_removed_is_not_in_free_space(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", "not JSON")
    session = opened(path)
    torn = next(problem for problem in session.problems if problem.rule == "record.torn")
    session.stage(torn, next(fix for fix in torn.fixes if fix.id == "set-aside"))
    session.save_as(tmp_path / "copy.db")
    pieces = (tmp_path / "copy.db").read_bytes().split(b'{"role":"tool","content":"word')
    assert all(piece.startswith(b"-") for piece in pieces[1:])


def test_an_agent_finds_what_it_made(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db", more=MORE, page_size=1024)
    opened(path).save_as(tmp_path / "copy.db")
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(tmp_path / "copy.db")) as other:
        for query in (
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
            "SELECT * FROM migrations",
            "PRAGMA user_version",
            "PRAGMA application_id",
            "PRAGMA page_size",
            "SELECT starred FROM sessions WHERE id = 'sound'",
        ):
            assert one.execute(query).fetchall() == other.execute(query).fetchall(), query
        assert other.execute("SELECT count(*) FROM credential").fetchone() == (0,)
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_tables_that_a_module_makes(tmp_path: Path) -> None:
    sql = "CREATE VIRTUAL TABLE found USING fts5(said); INSERT INTO found VALUES ('word-found-word');"
    path = several(tmp_path / "session.db", more=sql)
    opened(path).save_as(tmp_path / "copy.db")
    assert b"word-found" not in (tmp_path / "copy.db").read_bytes()
    assert toolpair.open(tmp_path / "copy.db").problems


def test_a_table_of_a_module_that_is_not_here(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'vectors', 'vectors', 0, "
            "'CREATE VIRTUAL TABLE vectors USING vec0(embedding float[3])')"
        )
        connection.commit()
    session = opened(path)
    session.stage_recommended()
    session.save_as(tmp_path / "copy.db")
    assert not [one for one in toolpair.open(tmp_path / "copy.db").problems if one.severity == "error"]
    session.save()
    assert not [one for one in opened(path).problems if one.severity == "error"]


ELSEWHERE = "CREATE TABLE credential (id TEXT); INSERT INTO credential VALUES ('of nobody else');"


def test_a_copy_of_the_session_is_replaced(tmp_path: Path) -> None:
    session, copy = opened(several(tmp_path / "session.db", more=MORE)), tmp_path / "copy.db"
    session.save_as(copy)
    session.stage_recommended()
    session.save_as(copy, force=True)
    assert messages(toolpair.open(copy)) == messages(session)


@pytest.mark.parametrize("which", ["another session", "nothing", "another table"])
def test_what_somebody_may_miss_is_never_replaced(tmp_path: Path, which: str) -> None:
    rows = {"another session": [sound("other")], "nothing": [], "another table": [sound()]}[which]
    other = database(tmp_path / "other.db", *rows, more=ELSEWHERE if which == "another table" else "")
    before = other.read_bytes()
    with pytest.raises(Refused, match="is a database, and all that it holds would be gone"):
        opened(several(tmp_path / "session.db")).save_as(other, force=True)
    assert other.read_bytes() == before


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_not_beside_the_log_of_another_one(tmp_path: Path, ending: str) -> None:
    """SQLite would take what is in it for a part of the copy."""
    session, copy = opened(several(tmp_path / "session.db")), tmp_path / "copy.db"
    beside = tmp_path / f"copy.db{ending}"
    beside.write_bytes(b"x")
    with pytest.raises(Refused, match=f"copy.db{ending} belongs to another state of"):
        session.save_as(copy)
    assert not copy.exists()


def test_the_name_of_a_database_in_any_letters(tmp_path: Path) -> None:
    opened(several(tmp_path / "session.db")).save_as(tmp_path / "COPY.DB")
    assert (tmp_path / "COPY.DB").read_bytes().startswith(b"SQLite format 3")
