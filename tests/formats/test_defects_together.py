"""Sessions in databases that break in two or three ways at once, and lose rows to somebody's own SQL besides.

What one defect alone gets is in each format's own tests; here fixes meet each other, shared ids and rows that are gone.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests import docker_agent_databases, goose_sessions, openclaw_databases, opencode_sessions
from tests.formats.fixing import errors, seen_of, told
from tests.rounds import tries
from toolpair.session.session import Session, open_session

SEEDS: Final = tries(15)
"""How many sessions of each agent are broken; with TOOLPAIR_TEST_ROUNDS more."""
_BESIDES: Final = 0.4
"""How often a row is deleted by hand as well."""


class Broken(NamedTuple):
    address: str
    ways: Sequence[str]
    words: Sequence[str]
    """The outputs that a fixed session must still send."""


Make = Callable[[random.Random, Path], Broken]


def _several(chance: random.Random, ways: Mapping[str, Callable[[Any], object]], made: Any) -> tuple[Any, list[str]]:
    """The session broken in two or three ways; one that is not possible after the others is left out."""
    taken: list[str] = []
    for name in chance.sample(sorted(ways), chance.choice((2, 2, 3))):
        tried = deepcopy(made)
        try:
            ways[name](tried)
        except (LookupError, StopIteration, TypeError, ValueError, AttributeError):
            continue
        made = tried
        taken.append(name)
    return made, taken


def _delete(chance: random.Random, path: Path, table: str, where: str, *values: object) -> bool:
    """Delete any one row of a session as SQLite's own program does: what refers to it stays."""
    if chance.random() >= _BESIDES:
        return False
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        rows = [row for (row,) in db.execute(f"SELECT rowid FROM {table} WHERE {where} ORDER BY rowid", values)]
        if len(rows) < 3:
            return False
        db.execute(f"DELETE FROM {table} WHERE rowid = ?", (chance.choice(rows[1:]),))
    return True


def _left(path: Path, query: str, words: Iterable[str], *values: object) -> list[str]:
    """Those of the words that are still in the rows."""
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = lambda raw: raw.decode("utf-8", "replace")
        rows = "\n".join(str(row[0]) for row in db.execute(query, values))
    return [word for word in words if word in rows]


# --- the agents --------------------------------------------------------------------------------------------


def _opencode(chance: random.Random, folder: Path) -> Broken:
    of = opencode_sessions
    session, taken = _several(chance, {name: change for name, (change, _, _) in of._WAYS.items()}, of.plain())
    path = of.written(folder / "opencode.db", session, of.another(), kilo=chance.random() < 0.5)
    gone = "".join(of._WAYS[name][1] for name in taken)
    if _delete(chance, path, chance.choice(("part", "message")), "session_id = ?", of.ID):
        taken.append("row deleted by hand")
    words = [of.word(call) for call in "abcd" if call not in gone]
    return Broken(f"{path}::{of.ID}", taken, _left(path, "SELECT data FROM part WHERE session_id = ?", words, of.ID))


def _goose(chance: random.Random, folder: Path) -> Broken:
    of = goose_sessions
    rows, taken = _several(chance, {name: break_ for name, (break_, _) in of._BREAKS.items()}, of.sound())
    path = of.database(folder / "sessions.db", rows)
    if chance.random() < 0.3:
        of.damage_settings(path)
        taken.append("settings damaged")
    if _delete(chance, path, "messages", "session_id = ?", of.SESSION):
        taken.append("row deleted by hand")
    kept = [
        word
        for word in map(of.word, of._ALL)
        if all(word in of._BREAKS[name][1] for name in taken[:3] if name in of._BREAKS)
    ]
    shown = "SELECT content_json FROM messages WHERE session_id = ? AND role != 'tool' AND metadata_json NOT LIKE '%agentVisible\":false%'"
    return Broken(f"{path}::{of.SESSION}", taken, _left(path, shown, kept, of.SESSION))


def _openclaw(chance: random.Random, folder: Path) -> Broken:
    of = openclaw_databases
    every, tables = of.corpus(), of.of_tables()
    records = chance.choice(sorted(every.keys() - tables.keys()))
    changes = chance.sample(sorted(name for name in tables if tables[name].change is not None), chance.choice((1, 2)))
    taken = [records]
    packed = chance.random() < 0.2
    path = of.Planted(every[records].data, (), packed=packed).write(folder / "openclaw-agent.sqlite")
    words = set(every[records].words)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        of.prepare(db)
        for name in changes:
            change = tables[name].change
            assert change is not None
            try:
                change(db)
            except (sqlite3.Error, LookupError):
                continue
            taken.append(name)
            words &= {*tables[name].words}
    if not packed and _delete(chance, path, "transcript_events", "session_id = ?", of.ID):
        taken.append("row deleted by hand")
    read = "SELECT event_json FROM transcript_events WHERE session_id = ?"
    words = words if packed else {*_left(path, read, words, of.ID)}
    return Broken(f"{path}::{of.ID}", taken, sorted(words))


def _docker_agent(chance: random.Random, folder: Path) -> Broken:
    of = docker_agent_databases
    rows, taken = _several(chance, of.BREAKS, of.sound())
    path = of.database(folder / "session.db", rows, of.sound("other"))
    if _delete(chance, path, "session_items", "session_id = ?", "sound"):
        taken.append("row deleted by hand")
    return Broken(f"{path}::sound", taken, ())


AGENTS: Final[dict[str, Make]] = {
    "opencode": _opencode,
    "goose": _goose,
    "openclaw": _openclaw,
    "docker-agent": _docker_agent,
}


# --- what holds --------------------------------------------------------------------------------------------


def _others(path: Path, session: str) -> dict[str, list[Any]]:
    """All rows that do not name the session."""
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = bytes
        names = [name.decode() for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in names if name != "sqlite_sequence"}
    return {name: [row for row in rows if session.encode() not in row] for name, rows in found.items()}


def _links(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        openclaw_databases.prepare(db)
        return len(db.execute("PRAGMA foreign_key_check").fetchall())


def _unfixable(session: Session) -> list[str]:
    """The errors that are left although something could be done."""
    return [one.rule for one in session.problems if one.severity == "error" and one.recommended is not None]


@pytest.mark.parametrize("agent", sorted(AGENTS))
@pytest.mark.parametrize("seed", range(SEEDS))
def test_together(agent: str, seed: int, tmp_path: Path) -> None:
    broken = AGENTS[agent](random.Random(f"{agent} {seed}"), tmp_path)
    name, _, id_ = broken.address.partition("::")
    path = Path(name)
    around, links = _others(path, id_), _links(path)
    session = open_session(broken.address)
    refuses = seen_of(session).refuses
    assert refuses is None or errors(session), (broken.ways, "what is said to be refused is an error", refuses)
    before = [word for word in broken.words if word in told(session)]
    staged = session.stage_recommended()
    if staged is not None:
        assert not session.staging.losses.outputs and not session.staging.losses.words, broken.ways
        session.save()
    after = open_session(broken.address)
    assert after.stage_recommended() is None, (broken.ways, "a second run changes nothing")
    assert _unfixable(after) == [], broken.ways
    assert [word for word in before if word not in told(after)] == [], (broken.ways, "what was sent is sent")
    for problem in (*session.problems, *after.problems):
        if problem.severity != "error" and problem.on_resume is not None:
            assert "the API refuses" not in problem.on_resume.text, "what is refused is an error"
    if not errors(after):
        assert seen_of(after).refuses is None, broken.ways
        # One that was interrupted at the very end is the agent's to answer.
        at_end = any(one.rule == "turn.trailing_call" for one in after.problems)
        assert at_end or [word for word in broken.words if word not in told(after)] == [], broken.ways
    assert _others(path, id_) == around and _links(path) <= links, broken.ways
