"""What the real goose sends when it resumes a session of its database.

The agent is the command that TOOLPAIR_GOOSE names: `bin/goose` of its package.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import PROMPT, Resumed
from tests.goose_sessions import SESSION

SECONDS_EACH = 60
_AGENT = running.script("TOOLPAIR_GOOSE")
_MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5"}


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not("goose is not here (set TOOLPAIR_GOOSE)", _AGENT)


def resume(files: Mapping[str, bytes], *, provider: str = "openai", session: str = SESSION) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave: a database, or an older file.

    Afterwards there is a database.
    """
    return running.resumed(__file__, files, SECONDS_EACH, agent=_AGENT, provider=provider, session=session)


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    provider, session = job["provider"], job["session"]
    with running.at_home() as home:
        path = home.folder / ".local/share/goose/sessions/sessions.db"
        path.parent.mkdir(parents=True)
        (path if data.startswith(b"SQLite") else path.with_name(f"{session}.jsonl")).write_bytes(data)
        environment = namespace.environment(
            home.folder,
            GOOSE_PROVIDER=provider,
            GOOSE_MODEL=_MODELS[provider],
            GOOSE_MODE="auto",
            GOOSE_DISABLE_KEYRING="1",
            GOOSE_TELEMETRY_ENABLED="false",
            **{f"{provider.upper()}_HOST": home.api.url, f"{provider.upper()}_API_KEY": "dummy"},
        )
        command = [job["agent"], "run", "--no-profile", "--with-builtin", "developer", "--resume", "--session-id"]
        note = running.note_of([*command, session, "-t", PROMPT], home.project, environment, SECONDS_EACH)
        ending = "/messages" if provider == "anthropic" else "/chat/completions"
        return running.told(running.asked(home.api, ending), note, _whole(path))


def _whole(path: Path) -> bytes:
    """The database with what waits beside it."""
    with closing(sqlite3.connect(path)) as connection:
        found = bytearray(connection.serialize())
    found[18:20] = b"\1\1"
    return bytes(found)


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
