"""How opencode and Kilo are asked what they send."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_MODELS: Final = {"mock": "mock-model", "openai": "gpt-5.1"}
_SECONDS: Final = 20
"""How long the copy's database may take."""
_OFF: Final = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")


def furnish(stage: Stage, name: str) -> Start:
    """`name` is that of the program, and of its folders. Raises ValueError for a database that is none of its own."""
    try:
        return _furnish(stage, name)
    except sqlite3.Error as error:
        raise ValueError(f"its database: {error}") from error


def _furnish(stage: Stage, name: str) -> Start:
    path = stage.home / ".local/share" / name / f"{name}.db"
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        ends = time.monotonic() + _SECONDS
        db.set_progress_handler(lambda: int(time.monotonic() > ends), 10_000)
        # A trigger of a stranger's would run with what is written here. (Nothing stricter: Kilo's own indices use
        # functions that SQLite refuses where a schema is not trusted.)
        for (trigger,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute('DROP TRIGGER "{}"'.format(trigger.replace('"', '""')))
        # The project of the session is not there, and is none of its business.
        db.execute("UPDATE session SET directory = ?", (str(stage.project),))
    settings(stage.home, name, stage.url)
    arguments = ("run", "--pure", "-s", stage.session_id, PROMPT)
    return Start(arguments, quiet(name), path, "openai-chat")


def settings(home: Path, name: str, url: str) -> None:
    """Point it at the API on loopback."""
    limits = {"context": 100000, "output": 1000}
    options = {"baseURL": f"{url}/v1", "apiKey": "dummy"}
    providers = {}
    for provider, named in _MODELS.items():
        models = {named: {"name": named, "tool_call": True, "limit": limits}}
        known = {"npm": "@ai-sdk/openai-compatible", "name": provider, "options": options, "models": models}
        providers[provider] = known
    use = {"model": "mock/mock-model", "small_model": "mock/mock-model", "permission": {"*": "ask"}}
    path = home / ".config" / name / f"{name}.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"autoupdate": False, "share": "disabled", **use, "provider": providers}))


def quiet(name: str) -> dict[str, str]:
    """The variables by which it asks nobody for anything new."""
    disabled = {f"{prefix}_DISABLE_{what}": "1" for prefix in ("OPENCODE", name.upper()) for what in _OFF}
    return {"KILO_TELEMETRY_DISABLED": "1", **disabled}


ASK: Final = Ask(lambda stage: furnish(stage, "opencode"), seconds=120)
ASK_KILO: Final = Ask(lambda stage: furnish(stage, "kilo"), seconds=120)
