"""What the real opencode and the real Kilo send when they resume a session of a database.

They are the commands that TOOLPAIR_OPENCODE (npm's `opencode-linux-x64`, its `bin/opencode`) and TOOLPAIR_KILO (npm's
`@kilocode/cli-linux-x64`, its `bin/kilo`) name. Each makes its own empty database first; the session's rows are put in.
TOOLPAIR_OPENCODE_BEFORE names an opencode of before 1.2 (1.1.65), which reads a folder.
"""

from __future__ import annotations

import io
import json
import sqlite3
import sys
import tarfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import Resumed
from tests.opencode_sessions import FOLDER, ID
from toolpair.formats.asking import PROMPT
from toolpair.formats.opencode.asking import quiet, settings

SECONDS_EACH = 120
_AGENTS = {name: running.script(f"TOOLPAIR_{name.upper()}") for name in ("opencode", "kilo", "opencode_before")}
_TABLES = ("project", "session", "message", "part")


def why_not(agent: str) -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not(f"{agent} is not here (set TOOLPAIR_{agent.upper()})", _AGENTS[agent])


def program(agent: str) -> str | None:
    """The agent's command, None when it is not here."""
    return _AGENTS[agent]


def resume(files: Mapping[str, bytes], agent: str) -> dict[str, Resumed]:
    """What is sent for the session in each database or packed folder, by the names that the caller gave."""
    return running.resumed(__file__, files, SECONDS_EACH, **_job(agent))


def open_whole(database: bytes) -> tuple[str, Resumed]:
    """What opencode lists of a database that lies where its own would, and what it sends of the one session in it."""
    job = {**_job("opencode"), "is_whole": True, "files": running.as_text({"it": database})}
    said = running.answers(__file__, job, SECONDS_EACH)["it"]
    return said["listed"], Resumed.of(said)


def _job(agent: str) -> dict[str, Any]:
    name = agent.partition("_")[0]
    return {"agent": _AGENTS[agent], "name": name, "is_before": agent == "opencode_before", "is_whole": False}


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    name = job["name"]
    with running.at_home() as home:
        settings(home.folder, name, home.api.url)
        environment = namespace.environment(home.folder, **quiet(name))
        path = home.folder / ".local/share" / name / f"{name}.db"
        session, listed = ID, ""
        if job["is_whole"]:
            session = put_whole(path, data, str(home.project))
            listed = running.said_by([job["agent"], "session", "list"], home.project, environment, SECONDS_EACH)
        elif job["is_before"]:
            _unpack(data, path.parent, str(home.project))
            note = running.note_of([job["agent"], "run", "-s", ID, PROMPT], home.project, environment, SECONDS_EACH)
        else:
            note = running.note_of([job["agent"], "session", "list"], home.project, environment, SECONDS_EACH)
        if path.exists() and not job["is_before"]:
            if not job["is_whole"]:
                given = home.folder / "given.db"
                given.write_bytes(data)
                put_in(path, given, str(home.project))
            command = [job["agent"], "run", "--auto", "--pure", "-s", session, PROMPT]
            note = running.note_of(command, home.project, environment, SECONDS_EACH)
        return {**running.told(running.asked(home.api, "/chat/completions"), note), "listed": listed}


def _unpack(data: bytes, folder: Path, project: str) -> None:
    """A folder of sessions where the agent looks for it; they took place in its project."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        tar.extractall(folder, filter="fully_trusted")
    for path in folder.glob("storage/session/*/*.json"):
        path.write_text(path.read_text().replace(f'"directory": "{FOLDER}"', f'"directory": {json.dumps(project)}'))


def put_whole(path: Path, data: bytes, project: str) -> str:
    """Put a database where the agent has its own; its session took place in the project. The session's id."""
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE session SET directory = ?", (project,))
        ((session,),) = db.execute("SELECT id FROM session")
    return str(session)


def put_in(path: Path, given: Path, project: str) -> None:
    """Put the rows of a session into a database that the agent made."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute("ATTACH ? AS given", (str(given),))
        for table in _TABLES:
            there = [row[1] for row in db.execute(f"PRAGMA main.table_info({table})")]
            names = ", ".join(row[1] for row in db.execute(f"PRAGMA given.table_info({table})") if row[1] in there)
            where = "" if table == "project" else f"WHERE {'id' if table == 'session' else 'session_id'} = '{ID}'"
            db.execute(f"INSERT OR IGNORE INTO main.{table} ({names}) SELECT {names} FROM given.{table} {where}")
        db.execute("UPDATE main.session SET directory = ? WHERE directory = ?", (project, FOLDER))
        db.execute("DETACH given")


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
