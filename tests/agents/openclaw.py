"""What the real OpenClaw sends when it resumes a session of its database.

It is the `openclaw.mjs` that TOOLPAIR_OPENCLAW names (npm's `openclaw`), run by the node that TOOLPAIR_OPENCLAW_NODE names,
which has to be one that OpenClaw takes. It makes its own database with a session first, whose rows are then replaced.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import Resumed
from tests.openclaw_databases import ID, prepare
from toolpair.formats.asking import PROMPT
from toolpair.formats.openclaw.asking import QUIET, settings
from toolpair.proof.mock_api import MockApi

SECONDS_EACH = 120
_AGENT = (running.program("TOOLPAIR_OPENCLAW_NODE", "node"), running.script("TOOLPAIR_OPENCLAW"))
_TABLES = (
    "transcript_events",
    "transcript_event_identities",
    "session_transcript_active_events",
    "session_transcript_index_state",
)
_ONE_AT_A_TIME = Lock()
"""It locks more than its own folder."""


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not("OpenClaw is not here (set TOOLPAIR_OPENCLAW and TOOLPAIR_OPENCLAW_NODE)", *_AGENT)


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for the session in each database, by the names that the caller gave."""
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as home:
        return running.resumed(__file__, files, 2 * SECONDS_EACH, agent=_AGENT, home=home)


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    home = Path(job["home"]).resolve()
    path = home / ".openclaw/agents/main/agent/openclaw-agent.sqlite"
    made, given = home / "made.sqlite", home / "given.sqlite"
    with _ONE_AT_A_TIME:
        if not made.exists():
            _run(job, home, "Hello.")
            shutil.copyfile(path, made)
        shutil.rmtree(home / ".openclaw")
        path.parent.mkdir(parents=True)
        shutil.copyfile(made, path)
        given.write_bytes(data)
        _put_in(path, given)
        return _run(job, home, PROMPT)


def _run(job: Mapping[str, Any], home: Path, prompt: str) -> dict[str, Any]:
    (home / "project").mkdir(exist_ok=True)
    with MockApi() as api:
        settings(home, home / "project", api.url)
        environment = namespace.environment(home, TMPDIR=str(home), **QUIET)
        command = [*job["agent"], "agent", "--local", "--session-id", ID, "-m", prompt, "--timeout", "90"]
        note = running.note_of(command, home / "project", environment, SECONDS_EACH)
        return running.told(running.asked(api, "/messages")[-1:], note)


def _put_in(path: Path, given: Path) -> None:
    """Replace the rows of the session that the agent made."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        prepare(db)
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute("ATTACH ? AS given", (str(given),))
        db.execute("DELETE FROM main.session_transcript_fts_rows WHERE session_id = ?", (ID,))
        for table in _TABLES:
            names = ", ".join(row[1] for row in db.execute(f"PRAGMA given.table_info({table})"))
            db.execute(f"DELETE FROM main.{table} WHERE session_id = ?", (ID,))
            db.execute(
                f"INSERT INTO main.{table} ({names}) SELECT {names} FROM given.{table} WHERE session_id = ?", (ID,)
            )
        db.execute("DETACH given")


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
