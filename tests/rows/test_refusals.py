"""Databases that are not an agent's, or cannot be read: one sentence, and nothing is written."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import toolpair
from tests.conftest import SAMPLES
from tests.docker_agent_databases import several
from tests.rounds import tries
from tests.rows.test_reading import seen
from tests.rows.test_saving import opened, run
from toolpair.cli.main import main
from toolpair.source.errors import Refused, SaveFailed

OTHERS = {
    "Firefox's places": "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT); CREATE TABLE moz_historyvisits (id, place_id)",
    "Chrome's history": "CREATE TABLE urls (id INTEGER PRIMARY KEY, url, title); CREATE TABLE visits (id, url); CREATE TABLE meta (key, value)",
    "Django": "CREATE TABLE django_migrations (id, app, name); CREATE TABLE django_session (session_key, session_data)",
    "Rails": "CREATE TABLE schema_migrations (version); CREATE TABLE sessions (id, session_id, data); CREATE TABLE messages (id, body)",
    "an app's own sessions and messages": "CREATE TABLE sessions (id TEXT, title TEXT); CREATE TABLE messages (id, session_id, role, content)",
    "a forum": "CREATE TABLE session (id, data); CREATE TABLE message (id, data); CREATE TABLE part (id, data)",
    "migrations of another program": "CREATE TABLE sessions (id, messages); CREATE TABLE migrations (id, name); CREATE TABLE session_items (id)",
    "a chat": "CREATE TABLE messages (ROWID, text, handle_id); CREATE TABLE chat (ROWID, guid)",
    "mbtiles": "CREATE TABLE metadata (name, value); CREATE TABLE tiles (zoom_level, tile_data)",
    "one view": "CREATE TABLE x (a); CREATE VIEW sessions AS SELECT 1 AS tools_approved; CREATE VIEW migrations AS SELECT 1",
    "odd names": 'CREATE TABLE "a""b" (x); CREATE TABLE "\x1b[31m" (x)',
    "no tables": "PRAGMA user_version = 5",
}


def said(capsys: pytest.CaptureFixture[str]) -> str:
    printed = capsys.readouterr()
    assert not printed.out
    return printed.err


def refused(path: Path, capsys: pytest.CaptureFixture[str], name: str | None = None) -> str:
    """What is said of it, by each command that reads."""
    before = seen(path.parent)
    name = name or str(path)
    sentences = set()
    for command in (
        ["check", name],
        ["fix", name, "--in-place"],
        ["sees", name],
        ["report", name, "-o", str(path.parent / "x.md")],
    ):
        assert main(command) == 2, command
        sentence = said(capsys).strip()
        assert sentence and len(sentence.splitlines()) <= 2 and "Traceback" not in sentence and "\x1b" not in sentence
        sentences.add(sentence)
    assert seen(path.parent) == before
    return min(sentences, key=len)


@pytest.mark.parametrize("whose", OTHERS)
def test_of_another_program(tmp_path: Path, capsys: pytest.CaptureFixture[str], whose: str) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as made:
        made.executescript(OTHERS[whose])
    assert "database" in refused(path, capsys)
    assert "database" in refused(path, capsys, f"{path}::some-session")


def test_torn_at_any_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused, or what can be read of it is read; a save writes nothing into it."""
    whole = several(tmp_path / "whole.db").read_bytes()
    for size in (
        1,
        15,
        16,
        99,
        100,
        101,
        1000,
        4095,
        4096,
        5000,
        8192,
        20_000,
        len(whole) // 2,
        len(whole) - 4096,
        len(whole) - 1,
    ):
        path = tmp_path / str(size) / "session.db"
        path.parent.mkdir()
        path.write_bytes(whole[:size])
        before = seen(path.parent)

        assert main(["check", str(path)]) == 2, size
        assert len(capsys.readouterr().err.strip().splitlines()) <= 1
        assert main(["fix", f"{path}::sound", "--in-place"]) in (2, 3)
        capsys.readouterr()
        assert seen(path.parent) == before


def test_damaged_at_any_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback, and no save into a database that is damaged."""
    whole = several(tmp_path / "whole.db").read_bytes()
    source = random.Random(5)
    for number in range(60):
        path = tmp_path / str(number) / "session.db"
        path.parent.mkdir()
        data = bytearray(whole)
        at = source.randrange(16, len(data))
        data[at : at + source.choice((1, 4, 100, 4096))] = source.randbytes(source.choice((1, 4, 100, 4096)))
        path.write_bytes(data[: len(whole)])
        code = main(["check", str(path)])
        assert code in (0, 1, 2)
        printed = capsys.readouterr()
        if code == 2:
            assert 1 <= len(printed.err.strip().splitlines()) <= 5, printed.err
        with closing(sqlite3.connect(path)) as opened:
            try:
                sound = opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            except sqlite3.DatabaseError:
                sound = False
        before = path.read_bytes()
        code = main(["fix", f"{path}::sound", "--in-place"])
        printed = capsys.readouterr()
        if not sound:
            assert code in (0, 1, 2, 3, 5) and path.read_bytes() == before, (number, code, printed.err)
            assert sorted(os.listdir(path.parent)) == ["session.db"]


@pytest.mark.parametrize("text", ["sessions", "session_items", "CREATE TABLE"])
def test_a_damaged_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """SQLite quotes the damaged bytes, which are no UTF-8."""
    path = several(tmp_path / "session.db")
    data = bytearray(path.read_bytes())
    at = data.index(text.encode(), 100, 16384)
    data[at + 1 : at + 4] = b"\xf2\xff "
    path.write_bytes(data)
    sentence = refused(path, capsys)
    assert "database" in sentence and "check that it is whole, or give a backup of it" in sentence
    assert "codec" not in sentence and "decode" not in sentence and "check the name" not in sentence


def test_damage_of_a_schema_says_no_word_of_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = several(tmp_path / "whole.db").read_bytes()
    at, end = whole.index(b"CREATE"), whole.rindex(b"CREATE", 0, 4096) + 40
    source = random.Random(7)
    for number in range(tries(80, 24)):
        path = tmp_path / f"{number}.db"
        data = bytearray(whole)
        for _ in range(source.choice((1, 3, 20))):
            data[source.randrange(at, end)] = source.choice((0, 0xF2, 0xFF, source.randrange(256)))
        path.write_bytes(data)
        for command in (["check", str(path)], ["sessions", str(path)], ["fix", str(path), "--diff"]):
            main(command)
            printed = capsys.readouterr()
            assert not re.search(r"codec|decode|Error\b|Traceback", printed.err), (number, printed.err)


def test_an_index_that_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its sessions can be read, so it is the save that looks."""
    path = several(tmp_path / "session.db")
    with closing(sqlite3.connect(path)) as opened:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'idx_session_items_session_type'"
        ((page,),) = opened.execute(query).fetchall()
    data = path.read_bytes()
    start, end = (page - 1) * 4096, page * 4096
    path.write_bytes(data[:start] + data[start:end].replace(b"oldestmessage", b"oldestmassage", 1) + data[end:])
    before = seen(tmp_path)
    assert path.read_bytes() != data and main(["check", f"{path}::sound"]) == 1
    capsys.readouterr()
    assert main(["fix", f"{path}::sound", "--in-place"]) == 3
    assert "is a damaged database" in said(capsys)
    assert {**seen(tmp_path), "": before[""]} == before


def test_encrypted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As SQLCipher leaves it, and with a header in the clear."""
    path = tmp_path / "session.db"
    path.write_bytes(random.Random(1).randbytes(16384))
    assert refused(path, capsys)
    path.write_bytes(
        several(tmp_path.with_name("whole.db")).read_bytes()[:100] + random.Random(2).randbytes(16384 - 100)
    )
    assert "damaged" in refused(path, capsys)
    tmp_path.with_name("whole.db").unlink()


def test_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "session.db"
    path.write_bytes(b"")
    assert refused(path, capsys)
    assert refused(path, capsys, f"{path}::sound")


def test_locked_for_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A copy is read all the same; a save says who is in the way."""
    path = several(tmp_path / "session.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        assert main(["check", f"{path}::sound"]) == 1
        capsys.readouterr()
        before = seen(tmp_path)
        assert main(["fix", f"{path}::sound", "--in-place"]) == 3
        assert "is being written to by another program" in said(capsys)
        assert seen(tmp_path) == before
        holder.execute("ROLLBACK")


def test_read_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = several(tmp_path / "session.db")
    path.chmod(0o444)
    before = seen(tmp_path)
    assert main(["check", f"{path}::sound"]) == 1
    capsys.readouterr()
    assert main(["fix", f"{path}::sound", "--in-place"]) == 3
    assert "is read-only" in said(capsys) and seen(tmp_path) == before


@pytest.mark.parametrize(
    "name",
    [
        "session.db::nothing",
        "session.db::",
        "session.db::\x1b[31m",
        "gone.db::sound",
        "folder::sound",
        "session.db::sou::nd",
    ],
)
def test_no_such_session(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = several(tmp_path / "session.db")
    (tmp_path / "folder").mkdir()
    refused(path, capsys, str(tmp_path / name))


def test_a_walked_folder_skips_and_counts_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, sql in enumerate(OTHERS.values()):
        with closing(sqlite3.connect(tmp_path / f"{number}.db")) as made:
            made.executescript(sql)
    (tmp_path / "empty.db").write_bytes(b"")
    (tmp_path / "encrypted.db").write_bytes(random.Random(3).randbytes(9000))
    whole = several(tmp_path / "session.db")
    (tmp_path / "torn.db").write_bytes(whole.read_bytes()[:5000])
    before = seen(tmp_path)
    assert main(["check", str(tmp_path), "--output-format", "json"]) in (1, 2)
    printed = capsys.readouterr()
    files = [entry["path"] for entry in json.loads(printed.out)["files"] if "error" not in entry]
    assert files == [f"{whole}::{name}" for name in ("newest", "sound", "child", "oldest")]
    assert seen(tmp_path) == before
    main(["check", str(tmp_path)])
    assert f"{len(os.listdir(tmp_path)) - 1} files skipped" in capsys.readouterr().err


GONE: dict[str, Callable[[Path], object]] = {
    "it is gone": lambda path: path.unlink(),
    "it is cut off": lambda path: os.truncate(path, 5000),
    "it is empty": lambda path: path.write_bytes(b""),
    "it is no database": lambda path: path.write_bytes(os.urandom(60_000)),
    "another agent's has its name": lambda path: (path.unlink(), shutil.copy(SAMPLES / "goose-left-out.db", path)),
    "its session is gone": lambda path: run(path, "DELETE FROM sessions WHERE id = 'sound'"),
    "its session has changed": lambda path: run(path, "UPDATE session_items SET agent_name = 'other'"),
    "it is a folder": lambda path: (path.unlink(), path.mkdir()),
}
"""What becomes of a database while one of its sessions is open."""
SAYS = {
    "it is gone": "is no longer there; nothing was written",
    "it is cut off": "is a damaged database",
    "it is no database": "is not a database that can be read",
}


@pytest.mark.parametrize("what", GONE)
def test_lost_while_its_session_is_open(tmp_path: Path, what: str) -> None:
    """One sentence that a user can act on, and a copy as lines is always there."""
    path = several(tmp_path / "session.db")
    session = opened(path)
    session.stage_recommended()
    GONE[what](path)
    with pytest.raises((Refused, SaveFailed)) as refused:
        session.save()
    assert SAYS.get(what, "has changed since it was opened") in str(refused.value)
    for name in ("copy.db", "copy.sqlite"):
        with pytest.raises(Refused) as not_copied:
            session.save_as(tmp_path / name)
        assert "A copy named NAME.jsonl needs no database" in str(not_copied.value)
    for said in (str(refused.value), str(not_copied.value)):
        assert not re.search(r"syntax|zip|malformed; the", said) and "\n" not in said, said
    session.save_as(tmp_path / "copy.jsonl")
    assert toolpair.open(tmp_path / "copy.jsonl").conversation.verdict.errors == 0
    assert {one.name for one in tmp_path.iterdir()} <= {"session.db", "copy.jsonl"}
