"""How a session goes on whose agent keeps all of them in one database: never by a copy in the database's place."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from tests import docker_agent_databases, goose_sessions, hermes_sessions, openclaw_databases, opencode_sessions
from tests.listed import listed
from toolpair.agents.catalog import index
from toolpair.cli.main import main
from toolpair.formats import get_agent
from toolpair.formats.engine.agents.databases import all_layouts, words_of
from toolpair.session.session import Session, SessionError, open_session
from toolpair.shell.machine import Machine
from toolpair.source.peek import LONGEST
from toolpair.source.rows.reading import connected


def _opencode(path: Path) -> Path:
    return opencode_sessions.written(path, opencode_sessions.plain())


def _kilo(path: Path) -> Path:
    return opencode_sessions.written(path, opencode_sessions.plain(), kilo=True)


def _goose(path: Path) -> Path:
    return goose_sessions.database(path, goose_sessions.sound())


def _docker(path: Path) -> Path:
    return docker_agent_databases.database(path, docker_agent_databases.sound())


def _hermes(path: Path) -> Path:
    return hermes_sessions.database(path, hermes_sessions.corpus()["nothing"].data)


def _openclaw(path: Path) -> Path:
    return openclaw_databases.corpus()["nothing"].write(path)


Make = Callable[[Path], Path]
IDS = {
    "opencode": opencode_sessions.ID,
    "kilo-cli": opencode_sessions.ID,
    "goose": goose_sessions.SESSION,
    "docker-agent": "sound",
    "openclaw": openclaw_databases.ID,
    "hermes": hermes_sessions.ID,
}
AGENTS: Mapping[str, tuple[Make, str, str]] = {
    "opencode": (_opencode, ".local/share/opencode/opencode.db", f"opencode -s {opencode_sessions.ID}"),
    "kilo-cli": (_kilo, ".local/share/kilo/kilo.db", f"kilo -s {opencode_sessions.ID}"),
    "goose": (
        _goose,
        ".local/share/goose/sessions/sessions.db",
        f"goose session --resume --session-id {goose_sessions.SESSION}",
    ),
    "docker-agent": (
        _docker,
        ".cagent/session.db",
        "Run `docker agent run AGENT --session sound`, with the agent that it was begun with as AGENT.",
    ),
    "openclaw": (
        _openclaw,
        ".openclaw/agents/main/agent/openclaw-agent.sqlite",
        f"Run `openclaw agent --local --session-id {openclaw_databases.ID} --message TEXT`, with your next words as TEXT.",
    ),
    "hermes": (_hermes, ".hermes/state.db", f"hermes --resume {hermes_sessions.ID}"),
}
"""Agent -> what makes a database of its own, where it has one, and how it resumes a session of that."""
ELSEWHERE = {
    "opencode": f"OPENCODE_DB={{path}} opencode -s {opencode_sessions.ID}",
    "kilo-cli": f"KILO_DB={{path}} kilo -s {opencode_sessions.ID}",
    "goose": "goose resumes only sessions of its own database: save into that one.",
    "docker-agent": "Run `docker agent run AGENT --session-db {path} --session sound`, with the agent that it was begun "
    "with as AGENT.",
    "openclaw": "OpenClaw resumes only sessions of its own databases: save into one of these.",
    "hermes": "Hermes Agent reads state.db alone: save into that one, or give the copy that name.",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "OPENCODE_DB", "KILO_DB", "GOOSE_PATH_ROOT", "OPENCLAW_STATE_DIR", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def _opened(agent: str, path: Path) -> Session:
    return open_session(f"{AGENTS[agent][0](path)}::{IDS[agent]}")


def _without_folder(command: str | None) -> str | None:
    return None if command is None else command.partition(" && ")[2] or command


@pytest.mark.parametrize("agent", AGENTS)
def test_the_agents_own_database_needs_no_variable(agent: str, home: Path) -> None:
    _, place, command = AGENTS[agent]
    (home / place).parent.mkdir(parents=True)
    assert _without_folder(_opened(agent, home / place).resume_command()) == command
    assert {one.agent for one in index(Machine.here())} == {agent}


@pytest.mark.parametrize("agent", AGENTS)
def test_its_own_database_may_lie_behind_a_link(agent: str, home: Path) -> None:
    _, place, command = AGENTS[agent]
    (home / "disk").mkdir()
    (home / place).parent.parent.mkdir(parents=True, exist_ok=True)
    (home / place).parent.symlink_to(home / "disk")
    assert _without_folder(_opened(agent, home / place).resume_command()) == command


@pytest.mark.parametrize("agent", AGENTS)
def test_a_database_elsewhere_is_named_or_refused(agent: str, home: Path) -> None:
    path = home / "elsewhere.db"
    session = _opened(agent, path)
    assert _without_folder(session.resume_command()) == ELSEWHERE[agent].format(path=path)
    copy = home / "copy.db"
    assert _without_folder(session.resume_command(copy)) == ELSEWHERE[agent].format(path=copy)
    assert {one.agent for one in listed(path)[0]} == {agent}


@pytest.mark.parametrize("agent", AGENTS)
def test_no_agent_is_given_rows_as_lines(agent: str, home: Path) -> None:
    path = home / AGENTS[agent][1]
    path.parent.mkdir(parents=True)
    session = _opened(agent, path)
    lines = home / "copy.jsonl"
    lines.write_bytes(session.to_bytes())
    for said in (session.resume_command(lines), open_session(lines).resume_command()):
        assert (
            said
            == f"{get_agent(agent).title} does not read a file of lines: save into its database to resume this session."
        )


def test_an_older_kilos_database_is_kilos_although_it_has_opencodes_tables(home: Path) -> None:
    """As 7.0 wrote it; a session that came from opencode may be in it."""
    path = home / "kilo.db"
    older, newer = opencode_sessions.another(), opencode_sessions.plain()
    opencode_sessions.written(path, newer, older)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE session SET version = '1.0.21', time_updated = 1 WHERE id = ?", (older.id,))
        db.execute("UPDATE session SET version = '7.0.33' WHERE id = ?", (newer.id,))
        db.commit()
    lines = home / "copy.jsonl"
    session = open_session(f"{path}::{newer.id}")
    lines.write_bytes(session.to_bytes())
    assert {one.agent for one in listed(path)[0]} == {"kilo-cli"}
    assert session.conversation.transcript.agent == "Kilo CLI"
    said = open_session(lines).resume_command()
    assert said == "Kilo CLI does not read a file of lines: save into its database to resume this session."


LAST_WORDS = {
    "opencode": ("part", "data", "Once more."),
    "kilo-cli": ("part", "data", "Once more."),
    "goose": ("messages", "content_json", "Once more."),
    "docker-agent": ("session_items", "message_json", "Thanks. Go on."),
    "openclaw": ("transcript_events", "event_json", "Thanks."),
    "hermes": ("messages", "content", "Thanks."),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_list_has_the_beginning_of_long_words(agent: str, home: Path) -> None:
    path = AGENTS[agent][0](home / "some.db")
    table, column, words = LAST_WORDS[agent]
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (words, "much \\n to say " * 10_000))
        db.commit()
    (found,) = words_of(str(path), IDS[agent])
    assert found is not None and len(found) <= LONGEST
    assert found.replace("\\n ", "").startswith("much to say much to say"), "a line end is written so in JSON alone"


@pytest.mark.parametrize(
    "facts", ["5", '"x"', "null", '{"last_id":"x","without_session":5,"free_ids":{},"next_id":[]}']
)
@pytest.mark.parametrize("agent", AGENTS)
def test_what_the_first_line_says_is_not_trusted(agent: str, facts: str, home: Path) -> None:
    session = _opened(agent, home / "some.db")
    first, _, rest = session.to_bytes().partition(b"\n")
    own = json.loads(first)
    own.pop("facts", None)
    lines = home / "copy.jsonl"
    lines.write_bytes(b'{"facts":' + facts.encode() + b"," + json.dumps(own).encode()[1:] + b"\n" + rest)
    found = open_session(lines)
    assert len(found.conversation.pairs) == len(session.conversation.pairs)
    found.stage_recommended()


TABLES = {
    "opencode": ("session", "part", "session_id"),
    "kilo-cli": ("session", "part", "session_id"),
    "goose": ("sessions", "messages", "session_id"),
    "docker-agent": ("sessions", "session_items", "session_id"),
    "hermes": ("sessions", "messages", "session_id"),
}
"""The tables of sessions and of messages, and the column that names the session; OpenClaw's take no other ids."""


def _copied_row(db: sqlite3.Connection, table: str, **changed: object) -> None:
    """Another row like the first one, but for these columns."""
    names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    row = dict(zip(names, db.execute(f"SELECT * FROM {table}").fetchone(), strict=True)) | changed
    db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", list(row.values()))


@pytest.mark.parametrize("agent", TABLES)
def test_a_session_whose_id_is_no_text_is_not_listed_but_counted(
    agent: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = AGENTS[agent][0](home / "some.db")
    before = len(listed(path)[0])
    ids: list[object] = [None, b"\x01\xff", b"blob"]
    with closing(sqlite3.connect(path)) as db:
        for id_ in ids:
            _copied_row(db, TABLES[agent][0], id=id_)
        db.execute(f"UPDATE {TABLES[agent][0]} SET id = CAST(id AS TEXT) WHERE id = x'01ff'")
        db.commit()
    found, notice = listed(path)
    assert len(found) == before
    assert notice == f"3 sessions in {path} cannot be opened: their ids are not text."
    assert main(["sessions", str(path)]) == 0
    assert notice in capsys.readouterr().err
    assert main(["check", str(path), "--output-format", "json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert [one["error"] for one in said["files"] if "error" in one] == [notice]
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute(f"DELETE FROM {TABLES[agent][0]} WHERE typeof(id) = 'text' AND id != CAST(x'01ff' AS TEXT)")
        db.commit()
    assert main(["sessions", str(path)]) == 1
    with pytest.raises(SessionError, match="their ids are not text"):
        open_session(str(path))


@pytest.mark.parametrize("agent", TABLES)
def test_a_database_without_an_index_is_listed_in_one_pass(agent: str, home: Path) -> None:
    path = AGENTS[agent][0](home / "some.db")
    sessions, rows, of = TABLES[agent]
    with closing(sqlite3.connect(path)) as db:
        for name in [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")]:
            if not name.startswith("sqlite_"):
                db.execute(f"DROP INDEX {name}")
        for number in range(300):
            _copied_row(db, sessions, id=f"copy-{number}")
        names = [row[1] for row in db.execute(f"PRAGMA table_info({rows})") if row[1] not in ("id", of)]
        for number in range(300):
            columns = ", ".join(f'"{name}"' for name in names)
            new = {"part": f"'prt_x{number}_' || rowid,"}.get(rows, "")
            db.execute(
                f"INSERT INTO {rows} ({'id, ' if new else ''}{of}, {columns}) SELECT {new} 'copy-{number}', {columns} "
                f"FROM {rows} WHERE {of} = ? LIMIT 10",
                (IDS[agent],),
            )
        db.commit()

    def steps(query: Callable[[sqlite3.Connection], object]) -> int:
        taken = 0

        def count() -> int:
            nonlocal taken
            taken += 1
            return 0

        with closing(connected(str(path), "mode=ro")) as db:
            db.set_progress_handler(count, 100)
            query(db)
        return taken

    layout = next(one for one in all_layouts() if one.agent == agent)
    once = steps(lambda db: db.execute(f"SELECT sum(length({of})) FROM {rows}").fetchall())
    assert steps(lambda db: list(layout.sessions(db))) < 40 * once


@pytest.mark.parametrize("agent", TABLES)
def test_a_list_says_the_size_and_time_of_each_session(agent: str, home: Path) -> None:
    path = AGENTS[agent][0](home / "some.db")
    layout = next(one for one in all_layouts() if one.agent == agent)
    with closing(connected(str(path), "mode=ro")) as db:
        found = {one.id: one for one in layout.sessions(db)}
        _, rows, of = TABLES[agent]
        column = LAST_WORDS[agent][1]
        for name, one in found.items():
            (size,) = db.execute(f"SELECT sum(length({column})) FROM {rows} WHERE {of} = ?", (name,)).fetchone()
            assert one.size == (size or 0)
    assert found[IDS[agent]].size > 100 and found[IDS[agent]].modified > 1.7e9


TIMES = {
    "opencode": "session.time_updated",
    "goose": "sessions.updated_at",
    "docker-agent": "sessions.created_at",
    "openclaw": "session_windows.updated_at",
    "hermes": "messages.timestamp",
}


@pytest.mark.parametrize("time", [2**63 - 1, -(2**63), float("inf"), 1e30, 253402300800000, "soon", None])
@pytest.mark.parametrize(("agent", "column"), TIMES.items())
def test_a_time_that_is_none(
    agent: str, column: str, time: object, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = AGENTS[agent][0](home / "some.db")
    table, name = column.split(".")
    with closing(sqlite3.connect(path)) as db:
        try:
            db.execute(f"UPDATE {table} SET {name} = ?", (time,))
        except sqlite3.IntegrityError:
            return  # the database takes none
        db.commit()
    assert main(["sessions", str(path), "--output-format", "json"]) == 0
    assert IDS[agent] in capsys.readouterr().out
