"""Sessions in databases read window by window for a report: it tells what the whole does, whatever is in the rows."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks.generate import generate
from benchmarks.measures.database_sessions import AGENTS, OTHERS
from benchmarks.sessions.options import Options
from tests import (
    docker_agent_databases,
    goose_sessions,
    hermes_sessions,
    openclaw_databases,
    opencode_folders,
    opencode_sessions,
)
from tests.history.mutated import places
from tests.history.opening import SIZES, judged_by
from tests.history.reports import sent
from tests.rounds import some, tries
from toolpair.cli.file_report import describe
from toolpair.formats.engine.agents.databases import named_sessions
from toolpair.session.session import open_session

LIT: Final = ("docker-agent", "goose", "opencode", "openclaw", "agents-sdk", "google-adk-database", "hermes")
_ODD: Final[tuple[Any, ...]] = (None, "", " ", 5, 1e400, 2**70, True, [], {}, "<odd>", [None], {"x": [[]]}, "call_x")
_IN_COLUMNS: Final[tuple[Any, ...]] = (
    *(None, 5, 1.5, "", "user", "assistant", "summary", "[]", b"blob", -1),
    *('{"userVisible":true,"agentVisible":false}', '{"userVisible":true,"agentVisible":true,"turnContext":true}'),
)


@pytest.fixture(scope="module", params=LIT)
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    path = tmp_path_factory.mktemp("rows") / "session.db"
    generate(Options(pairs=40, problems=0, shape="small", format=request.param), path)
    return request.param, path


def mutate(path: Path, agent: str, seed: int) -> None:
    """Change some rows at random: a value, a key, the order, an id that becomes another's, bytes that are no text."""
    rng = random.Random(seed)
    table, column = {**AGENTS, **OTHERS}[agent].MESSAGE
    if agent == "opencode" and rng.random() < 0.3:
        table = "message"
    with closing(sqlite3.connect(path)) as db, db:
        db.text_factory = bytes
        rows = db.execute(f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY rowid").fetchall()
        every = [row[0] for row in db.execute(f"SELECT rowid FROM {table} ORDER BY rowid")]
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(rows))
            rowid, text = rows[at]
            value = json.loads(text)
            holder, key = rng.choice([*places(value), ({}, "none")])
            match rng.randrange(9):
                case 0:
                    db.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))
                    continue
                case 1:
                    holder[key] = rng.choice(_ODD)
                case 2:
                    if holder:
                        del holder[key]
                case 3 if isinstance(holder, dict):
                    holder[rng.choice(["more", "id", "text", "content", "tool_calls", "reasoning_content"])] = (
                        rng.choice(_ODD)
                    )
                case 4:
                    other = json.loads(rows[rng.randrange(len(rows))][1])
                    holder[key] = rng.choice([inner[name] for inner, name in places(other)] or [None])
                case 5:
                    value = json.loads(rows[rng.randrange(max(at - 3, 0), min(at + 4, len(rows)))][1])
                case 6:
                    ids = [(one, name) for one, name in places(value) if "id" in str(name).lower()]
                    for one, name in ids[:1]:
                        one[name] = str(one[name]) + rng.choice(["x", "|fc_1", " ", "é"])
                case 7:
                    holder[key] = ["again", "again"][rng.randrange(2)]
            said = _written(value)
            if rng.random() < 0.2:
                names = [name.decode() for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
                with contextlib.suppress(sqlite3.IntegrityError):
                    odd, other = rng.choice(_IN_COLUMNS), rowid if rng.random() < 0.5 else rng.choice(every)
                    db.execute(f"UPDATE {table} SET {rng.choice(names)} = ? WHERE rowid = ?", (odd, other))
            if rng.random() < 0.15:
                said = (
                    said.replace(b'"', b'"\xff', 2) if rng.random() < 0.5 else said.replace(b'{"', b'{"k":1,"k":2,"', 1)
                )
            db.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE rowid = ?", (said, rowid))
            rows[at] = rowid, _written(value)


def _written(value: Any) -> bytes:
    said = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return said.replace("Infinity", "1e400").encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("seed", range(tries(200, 9)))
def test_windows_together_tell_what_the_whole_does(seed: int, sound: tuple[str, Path], tmp_path: Path) -> None:
    agent, path = sound
    path = Path(shutil.copy(path, tmp_path / path.name))
    mutate(path, agent, seed)
    profile = (None, "openai-chat", "anthropic")[seed % 3]
    name = f"{path}::session-0" if agent in OTHERS else path  # a row may have become one of another session
    with judged_by(None):
        whole = describe(open_session(name, profile=profile), "x")
    with judged_by((1, *SIZES)[seed % 4]):
        parted = describe(open_session(name, profile=profile, reporting=True), "x")
    assert parted.entry == whole.entry
    assert parted.verdict == whole.verdict


def _ways(folder: Path) -> Iterator[Path]:
    """Databases with sessions that are broken in ways that agents break them in."""
    for planted in some(opencode_sessions.corpus().values(), 9):
        yield planted.write(folder / "opencode.db", kilo=planted.loose)
    for name, planted in some(opencode_sessions.corpus().items(), 12):
        yield opencode_folders.planted_in(folder / name / "storage", planted)
    for how in some(docker_agent_databases.BREAKS, 9):
        yield docker_agent_databases.database(folder / f"{how}.db", docker_agent_databases.broken(how))
    for name, planted in some(hermes_sessions.corpus().items(), 12):
        yield hermes_sessions.database(folder / f"{name}.db", planted.data)
    for name, broken in some(openclaw_databases.corpus().items(), 12):
        yield broken.write(folder / f"{name}.sqlite")
    for name, rows in some(goose_sessions.corpus().items(), 12):
        yield goose_sessions.database(folder / f"{name}.db", rows.rows, provider=("openai", "anthropic")[len(name) % 2])


def test_windows_tell_what_the_whole_does_of_what_agents_break(tmp_path: Path) -> None:
    parts = 0
    for path in _ways(tmp_path):
        for address in named_sessions(str(path))[0]:
            with judged_by(None):
                alone = open_session(address)
                whole = describe(alone, "x")
            with judged_by(1):
                session = open_session(address, reporting=True)
                assert describe(session, "x").entry == whole.entry
                assert sent(open_session(address).conversation) == sent(alone.conversation)
            parts += len(session.conversation.windows) > 1
    assert parts > 20


def test_rows_in_order_are_not_judged(sound: tuple[str, Path]) -> None:
    with judged_by(3):
        session = open_session(sound[1], reporting=True)
        assert len(session.conversation.windows) > 9
        assert all(window.clean for window in session.conversation.windows[:-1])
        assert {problem.rule for problem in session.problems} <= {"turn.trailing_assistant"}


def test_a_result_of_hermes_that_has_calls_is_left_to_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "session.db"
    generate(Options(pairs=40, problems=0, shape="small", format="hermes"), path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE messages SET tool_calls = 1.5 WHERE id = (SELECT max(id) FROM messages WHERE role = 'tool')")
    with judged_by(1):
        assert "field.missing" in {problem.rule for problem in open_session(path, reporting=True).problems}
