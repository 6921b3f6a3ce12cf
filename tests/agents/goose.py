"""What the real goose sends when it resumes a session of its database.

The agent is the command that TOOLPAIR_GOOSE names: `bin/goose` of its package.
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.mock_api import MockApi
from tests.goose_sessions import SESSION

PROMPT = "go on"
SECONDS_EACH = 60
_NAMED = os.environ.get("TOOLPAIR_GOOSE")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5"}


@dataclass(frozen=True, slots=True)
class Resumed:
    """`messages` of the request, None when the agent made none; `note` is what it said then."""

    messages: list[dict[str, Any]] | None
    note: str
    after: bytes
    """The database afterwards."""


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    if _NAMED is None or not Path(_NAMED).is_file():
        return "goose is not here (set TOOLPAIR_GOOSE)"
    return namespace.why_not()


def resume(files: Mapping[str, bytes], *, provider: str = "openai", session: str = SESSION) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave: a database, or an older file."""
    job = {"agent": _NAMED, "provider": provider, "session": session, "files": running.as_text(files)}
    return {
        name: Resumed(found["messages"], found["note"], base64.b64decode(found["after"]))
        for name, found in running.answers(__file__, job, SECONDS_EACH).items()
    }


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    provider, session = job["provider"], job["session"]
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as folder, MockApi() as api:
        home = Path(folder).resolve()
        project = home / "project"
        project.mkdir()
        path = home / ".local/share/goose/sessions/sessions.db"
        path.parent.mkdir(parents=True)
        (path if data.startswith(b"SQLite") else path.with_name(f"{session}.jsonl")).write_bytes(data)
        environment = namespace.environment(
            home,
            GOOSE_PROVIDER=provider,
            GOOSE_MODEL=_MODELS[provider],
            GOOSE_MODE="auto",
            GOOSE_DISABLE_KEYRING="1",
            GOOSE_TELEMETRY_ENABLED="false",
            **{f"{provider.upper()}_HOST": api.url, f"{provider.upper()}_API_KEY": "dummy"},
        )
        command = [job["agent"], "run", "--no-profile", "--with-builtin", "developer", "--resume", "--session-id"]
        note = running.note_of([*command, session, "-t", PROMPT], project, environment, SECONDS_EACH)
        ending = "/messages" if provider == "anthropic" else "/chat/completions"
        asked = [body["messages"] for body in api.bodies(ending) if body.get("tools")]
        asked = [messages for messages in asked if PROMPT in json.dumps(messages[-2:])]
        return {
            "messages": asked[0] if asked else None,
            "note": note,
            "after": base64.b64encode(_whole(path)).decode(),
        }


def _whole(path: Path) -> bytes:
    """The database with what waits beside it."""
    with closing(sqlite3.connect(path)) as connection:
        found = bytearray(connection.serialize())
    found[18:20] = b"\1\1"
    return bytes(found)


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
